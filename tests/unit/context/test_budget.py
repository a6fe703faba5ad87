"""The budget: shares, order, and what never gives way."""

from hypothesis import given
from hypothesis import strategies as st

from goclaw.context.budget import fit, message_share, session_share
from goclaw.context.section import PLACES, Entry, Name, Part, Section
from tests.contract.builders import make_record

SESSION = [place.name for place in PLACES.values() if place.part is Part.SESSION]


def filled(name, records=3, chars=100):
    return Section(name, tuple(Entry("x" * chars, make_record(f"{name}{n}")) for n in range(records)))


def shown(fitted):
    return {section.name: len(section.entries) for section in fitted.sections}


def test_the_shares_of_the_seed():
    assert session_share(32_000) == 24_000
    assert session_share(0) is None
    assert message_share(32_000, 24_000) == 8_000
    assert message_share(32_000, 1_000) == 31_000
    assert message_share(32_000, 40_000) == 0
    assert message_share(0, 40_000) is None


def test_nothing_gives_way_without_a_limit_or_need():
    sections = [filled(name) for name in SESSION]
    assert fit(sections, None).sections == tuple(sections)
    assert fit(sections, 10**6).sections == tuple(sections)


def test_sections_give_way_in_order_and_record_by_record():
    names = [Name.CRITICAL, Name.MEMORY_FILE, Name.AGENT_CONFIG, Name.NOTE_COUNT, Name.RECENT, Name.PREVIOUS]
    sections = [filled(name) for name in names]
    total = sum(section.chars for section in sections)
    hint, recent = sections[3].chars, sections[4].chars

    one_less = fit(sections, total - 1)
    assert shown(one_less) == dict.fromkeys(names, 3) | {Name.NOTE_COUNT: 2}
    assert one_less.sections[3].why.startswith("shrunk")

    without_hint = fit(sections, total - hint)
    assert shown(without_hint) == dict.fromkeys(names, 3) | {Name.NOTE_COUNT: 0}
    assert without_hint.sections[3].why.startswith("dropped")

    without_recent = fit(sections, total - hint - recent)
    assert shown(without_recent)[Name.RECENT] == 0
    assert shown(without_recent)[Name.PREVIOUS] == 3

    nothing_left = fit(sections, 0)
    assert shown(nothing_left) == dict.fromkeys(names, 0) | {Name.CRITICAL: 3}
    assert nothing_left.excess == sections[0].chars


def test_what_does_not_count_is_left_alone():
    sections = [filled(Name.SYSTEMS, chars=9_999), filled(Name.RECENT)]
    fitted = fit(sections, 0)
    assert shown(fitted) == {Name.SYSTEMS: 3, Name.RECENT: 0}
    assert fitted.used == 0


@given(
    st.lists(st.tuples(st.sampled_from(SESSION), st.integers(0, 5), st.integers(1, 400)), unique_by=lambda e: e[0]),
    st.integers(0, 6_000),
)
def test_what_counts_fits_or_never_gives_way(given_sections, room):
    sections = [filled(name, records, chars) for name, records, chars in given_sections]
    fitted = fit(sections, room)
    left = [s for s in fitted.sections if s.place.gives_way is not None and s.entries]
    assert fitted.used <= room or not left
    assert fitted.excess == max(fitted.used - room, 0)
    assert [section.name for section in fitted.sections] == [section.name for section in sections]
