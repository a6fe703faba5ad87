"""Vectors come after the write; a reader that holds the rows already must see them come."""

import goclaw
from tests.flows.conftest import HASHING
from tests.flows.people import ALICE


def _cosine(memory: goclaw.Memory) -> float | None:
    (hit,) = memory.search(ALICE, "when is the pier closed?").hits
    cosine = hit.score_parts["cosine"]
    assert cosine is None or isinstance(cosine, float)
    return cosine


def test_a_record_that_was_searched_without_its_vector_is_later_searched_with_it(open_store):
    memory = open_store(HASHING).memory
    memory.write(ALICE, "The pier is closed on Monday.", scope="personal")
    assert _cosine(memory) is None
    assert memory.wait_until_indexed()
    assert _cosine(memory) is not None


def test_vectors_made_by_another_process_are_seen_too(open_store):
    memory, other = open_store(HASHING).memory, open_store(HASHING).memory
    memory.write(ALICE, "The pier is closed on Monday.", scope="personal")
    assert _cosine(memory) is None
    assert other.wait_until_indexed()
    assert _cosine(memory) is not None
