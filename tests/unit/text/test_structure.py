"""What is known of a chunk besides its words."""

import struct

import pytest

from goclaw.text.structure import NO_STRUCTURE, NO_TURN, STRUCTURE_BYTES, Structure, Trait, speaker_number, structure_of
from goclaw.text.terms import query_terms


def structure(text: str, speaker: str | None = "Ana", session: str | None = "s1", turn: int | None = 4) -> Structure:
    return structure_of(text, record=text, session_id=session, turn=turn, speaker=speaker)


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        ("Where did you leave it?", Trait.ENDS_ASKING),
        ("你去哪里？", Trait.ENDS_ASKING),
        ('She said "really?"', Trait.ENDS_ASKING),
        ("Look at that! Ready? [shared image: a boat]", Trait.ENDS_ASKING),
        ("Ready? Then we leave.", Trait.ASKS),
        ("I've been busy", Trait.FIRST_PERSON),
        ("It was last summer.", Trait.TELLS_WHEN),
        ("In 1998 it rained.", Trait.TELLS_WHEN),
        ("There were twelve, no, ten of them", Trait.TELLS_HOW_MANY),
        ("They moved to the Harz", Trait.TELLS_WHERE),
        ('He reads "The Long Ship" again', Trait.NAMES_A_TITLE),
        ("From now on use metric units", Trait.STANDING),
        ("Always include the ticket number", Trait.STANDING),
    ],
)
def test_a_trait_is_found(text: str, trait: Trait) -> None:
    assert structure(text).traits & trait


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        ("Ready? Then we leave.", Trait.ENDS_ASKING),
        ("The tide is high", Trait.ASKS | Trait.FIRST_PERSON | Trait.TELLS_WHEN | Trait.TELLS_HOW_MANY),
        ("They went to sea", Trait.TELLS_WHERE),
        ('A so-called "ship"', Trait.NAMES_A_TITLE),
        ("It always rains here.", Trait.STANDING),
        ("You may leave", Trait.TELLS_WHEN),
    ],
)
def test_a_trait_is_not_found(text: str, trait: Trait) -> None:
    assert not structure(text).traits & trait


def test_a_question_at_the_end_counts_for_every_chunk_of_its_record() -> None:
    found = structure_of("first half", record="first half, second half?", session_id="s", turn=0, speaker=None)
    assert found.traits == Trait.ENDS_ASKING | Trait.ASKS


@pytest.mark.parametrize(("speaker", "role"), [("user", Trait.FROM_USER), ("Assistant", Trait.FROM_ASSISTANT)])
def test_roles_are_no_names(speaker: str, role: Trait) -> None:
    found = structure("hello", speaker=speaker)
    assert (found.speaker, found.traits) == (0, role)


def test_what_an_assistant_says_is_no_wish() -> None:
    assert not structure("From now on I will do so", speaker="assistant").traits & Trait.STANDING


def test_a_speaker_is_the_term_by_which_a_question_names_them() -> None:
    assert speaker_number("Joanna Reyes") in query_terms("what does Joanna like?").hashes
    assert speaker_number("小明") in query_terms("小明喜欢什么").hashes
    assert speaker_number("") == 0


def test_without_a_session_there_is_no_turn() -> None:
    assert structure("x", session=None, turn=7).turn == NO_TURN
    assert structure("x", session=None).session == 0
    assert structure("x", session="a").session != structure("x", session="b").session


@pytest.mark.parametrize(("turn", "kept"), [(0, 0), (-3, 0), (1 << 40, NO_TURN - 1), (None, NO_TURN)])
def test_any_turn_can_be_kept(turn: int | None, kept: int) -> None:
    assert structure("x", turn=turn).turn == kept


def test_it_is_packed_into_14_bytes() -> None:
    packed = Structure(1, 2, 3, Trait.ASKS).packed()
    assert struct.unpack("<IIIH", packed) == (1, 2, 3, 8)
    assert len(packed) == STRUCTURE_BYTES == len(NO_STRUCTURE) == 14
