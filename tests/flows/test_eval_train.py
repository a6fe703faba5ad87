"""``goclaw eval train``: from judged conversations to a file that searches use; and what goes wrong on the way."""

import json
from pathlib import Path

import pytest

from goclaw import Principal, open_memory
from goclaw.errors import SettingsError
from tests.command_line import goclaw

pytestmark = pytest.mark.process

KEYWORDS = {"GOCLAW_MEMORY__SEARCH__PROVIDER": "none"}
ANIMALS = (
    "heron",
    "ferret",
    "goat",
    "newt",
    "parrot",
    "lizard",
    "rabbit",
    "donkey",
    "beetle",
    "turtle",
    "lynx",
    "otter",
)
NAMES = ("Pixel", "Biscuit", "Comet", "Sable", "Tango", "Willow", "Quill", "Ember", "Juno", "Maple", "Rusty", "Nori")


def conversation(name: str, speakers: tuple[str, str], shift: int) -> dict[str, object]:
    """Two people talk about animals: a statement, an answer, and a question about each; some have no answer."""
    items, questions = [], []
    for number, animal in enumerate(ANIMALS):
        who, other = speakers if number % 2 else speakers[::-1]
        pet = NAMES[(number + shift) % len(NAMES)]
        for place, (speaker, text) in enumerate(
            (
                (who, f"I found a {animal} by the canal and called it {pet}."),
                (other, f"A {animal}! How lovely, where do you keep it?"),
                (who, f"It sleeps in a box in room {number + shift}."),
            )
        ):
            items.append(
                {
                    "id": f"{name}-{number}-{place}",
                    "text": text,
                    "session": f"s{number // 4}",
                    "turn": len(items),
                    "speaker": speaker,
                }
            )
        for text, gold in (
            (f"What did {who} call the {animal}?", f"{name}-{number}-0"),
            (f"Where does {who}'s {animal} sleep?", f"{name}-{number}-2"),
        ):
            questions.append({"id": f"{name}-q{len(questions)}", "q": text, "category": "pets", "gold": [gold]})
    for place in range(3):
        text = f"Which car does {speakers[place % 2]} drive to work?"
        question = {"id": f"{name}-n{place}", "q": text, "category": "none", "answerable": False, "gold": []}
        questions.append(question)
    return {"dataset": "pets", "id": name, "items": items, "questions": questions}


@pytest.fixture
def data(tmp_path: Path) -> list[str]:
    files = []
    for name, speakers, shift in (("one", ("Ana", "Bo"), 0), ("two", ("Cem", "Dot"), 5)):
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(conversation(name, speakers, shift)))
        files.append(str(file))
    return files


def test_a_ranker_is_fitted_written_named_and_used(data: list[str], tmp_path: Path) -> None:
    out = tmp_path / "ranker.json"
    done = goclaw(tmp_path / "s", "eval", "train", *data, "--out", str(out), "--json", **KEYWORDS)
    assert done.code == 0, done.err
    (line,) = done.document["recall"]
    assert (line["mode"], line["questions"]) == ("words_only", 48)  # those without an answer have no recall
    assert 0 < line["left_out"]["10"] <= 1
    assert json.loads(out.read_text())["fitted_on"] == "pets (2 conversations)"
    scored = goclaw(
        tmp_path / "s", "eval", "run", data[0], "--set", f"memory.search.ranker={out}", "--json", **KEYWORDS
    )
    assert scored.code == 0, scored.err
    settings = {"memory.search.provider": "none", "memory.search.ranker": str(out), "memory.jobs.workers": 0}
    with open_memory(tmp_path / "used", settings) as memory:
        ana = Principal("ana")
        memory.write(
            ana, "I found a heron and called it Pixel.", scope="personal", session_id="s", turn=1, speaker="Ana"
        )
        assert memory.search(ana, "What did Ana call the heron?").hits


def test_too_little_to_learn_from_is_said(tmp_path: Path) -> None:
    few = conversation("few", ("Ana", "Bo"), 0) | {"questions": []}
    (tmp_path / "few.json").write_text(json.dumps(few))
    done = goclaw(tmp_path / "s", "eval", "train", str(tmp_path / "few.json"), "--out", str(tmp_path / "r"), **KEYWORDS)
    assert done.code == 1
    assert "too few judged questions" in done.err
    assert not (tmp_path / "r").exists()


def test_what_cannot_be_written_is_said_before_the_fit(data: list[str], tmp_path: Path) -> None:
    done = goclaw(tmp_path / "s", "eval", "train", *data, "--out", str(tmp_path / "nowhere" / "r.json"), **KEYWORDS)
    assert done.code == 2
    assert "--out" in done.err


@pytest.mark.parametrize("text", ["{", "[]", '{"items": 3}'])
def test_what_is_no_data_set_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.json").write_text(text)
    done = goclaw(tmp_path / "s", "eval", "train", str(tmp_path / "odd.json"), "--out", str(tmp_path / "r"), **KEYWORDS)
    assert done.code in (1, 2)
    assert "Something went wrong" not in done.err


def test_a_broken_ranker_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("{}")
    settings = {"memory.search.provider": "none", "memory.search.ranker": str(tmp_path / "r.json")}
    with open_memory(tmp_path / "s", settings) as memory:
        memory.write(Principal("ana"), "A heron.", scope="personal")
        with pytest.raises(SettingsError, match="ranker"):
            memory.search(Principal("ana"), "heron")
