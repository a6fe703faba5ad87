"""The seed's list, held against our table; sections as text; how a section gives way."""

import pytest

from goclaw.context.section import CUT, PLACES, Entry, Group, Name, Part, Section, shortened, text_of
from tests.contract.builders import make_record

# The first seed, line by line.
SEED = [
    (1, "session", "Memory", "critical constraints"),
    (2, "session", "Memory", "Memory.md"),
    (3, "session", "Memory", "agent configuration"),
    (4, "session", "Memory", "agent notes"),
    (5, "session", "Memory", "notes about the current user"),
    (6, "session", "Memory", "RECENT MEMORY"),
    (7, "session", "Memory", "PREVIOUS CONTEXT"),
    (8, "session", "System", "configured systems"),
    (9, "session", "System", "memory files"),
    (10, "session", "User", "USER.md"),
    (11, "session", "User", "current user"),
    (12, "message", "Message", "current time"),
    (13, "message", "Message", "agent notes for this message"),
    (14, "message", "Message", "LEARNED KNOWLEDGE"),
    (15, "message", "Message", "PERSONAL MEMORY"),
    (16, "message", "Message", "fetched for this message"),
    (17, "message", "Message", "queries that ran without error"),
]


def test_the_sections_are_the_seeds_in_the_seeds_order():
    ours = [(place.number, str(place.part), str(place.group), place.heading.casefold()) for place in PLACES.values()]
    assert ours == [(number, part, group, heading.casefold()) for number, part, group, heading in SEED]
    assert set(PLACES) == set(Name)


@pytest.mark.parametrize(
    ("part", "order"),
    [
        (
            Part.SESSION,
            [
                Name.NOTE_COUNT,
                Name.RECENT,
                Name.PREVIOUS,
                Name.NOTES_ABOUT_USER,
                Name.MEMORY_FILE,
                Name.AGENT_CONFIG,
            ],
        ),
        (Part.MESSAGE, [Name.NOTES, Name.PERSONAL, Name.LEARNED]),
    ],
)
def test_the_dropping_order_is_the_seeds(part, order):
    ours = sorted(
        (place for place in PLACES.values() if place.part is part and place.gives_way is not None),
        key=lambda place: place.gives_way,
    )
    assert [place.name for place in ours] == order


def test_only_the_memory_groups_are_held_to_the_budget():
    counted = [place.number for place in PLACES.values() if place.counts]
    assert counted == [1, 2, 3, 4, 5, 6, 7, 13, 14, 15]


def test_groups_are_named_once_and_empty_sections_leave_no_trace():
    text = text_of(
        [
            Section(Name.MEMORY_FILE, (Entry("a"),)),
            Section(Name.AGENT_CONFIG),
            Section(Name.PREVIOUS, (Entry("b"),), "A notice."),
            Section(Name.IDENTITY, (Entry("c"),)),
        ]
    )
    assert text == "# Memory\n\n## MEMORY.MD\na\n\n## PREVIOUS CONTEXT\nA notice.\nb\n\n# User\n\n## CURRENT USER\nc\n"
    assert text_of([Section(Name.TIME)]) == ""
    assert Group.USER in text


def test_records_give_way_from_the_last_one():
    entries = tuple(Entry("x" * 9, make_record(f"r{n}")) for n in range(4))
    shrunk = Section(Name.RECENT, entries, left_out=1).shrunk_by(15)
    assert (len(shrunk.entries), shrunk.left_out) == (2, 3)
    assert Section(Name.RECENT, entries).shrunk_by(41).entries == ()


def test_a_text_is_cut_in_its_middle_until_too_little_is_left():
    section = Section(Name.MEMORY_FILE, (Entry("h" * 5_000 + "t" * 5_000),))
    cut = section.shrunk_by(4_000)
    assert section.chars - cut.chars >= 4_000
    assert cut.entries[0].text.startswith("hhhh")
    assert cut.entries[0].text.endswith("tttt")
    assert "characters are left out here" in cut.entries[0].text
    assert section.shrunk_by(9_000).entries == ()


def test_a_shortened_text_says_how_much_is_missing():
    text = "a" * 10 + "b" * 20 + "c" * 10
    assert shortened(text, 10, 10) == "a" * 10 + CUT.format(left_out=20) + "c" * 10
    assert shortened(text, 10, 0) == "a" * 10 + CUT.format(left_out=30)
    assert shortened(text, 20, 20) == text
