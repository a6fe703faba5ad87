"""Which found memories contradict each other, and which one stands first."""

from dataclasses import replace

import pytest

from goclaw.governance.conflict import contradictions, differs_in_substance, may_contradict, order_by_trust, trust_rank
from goclaw.model.lifecycle import Lifecycle
from goclaw.model.provenance import Provenance
from tests.unit.model.test_shapes import record


def memory(text, provenance="generated", **fields):
    return record(content=text, content_hash=text, provenance=Provenance(provenance), **fields)


@pytest.mark.parametrize(("first", "second", "may", "differs"), [
    ("Elbow joints need grease weekly", "Elbow joints need grease monthly", True, False),
    ("orders-db listens on 10.1.0.5", "orders-db listens on 10.1.0.9", True, True),
    ("Deploys are allowed on Friday", "Deploys are not allowed on Friday", True, True),
    ("The timeout is 30 ms", "The timeout is 30 s", True, True),
    ("The owner of billing is Anna", "The owner of billing is Bruno", True, True),
    ("Elbow joints need grease weekly", "The canteen closes at two", False, False),
    ("Same words", "Same words", False, False),
])  # fmt: skip
def test_pairs(first, second, may, differs):
    one, other = memory(first), memory(second)
    assert may_contradict(one, other) is may
    assert differs_in_substance(one, other) is differs


def test_trust_order():
    ranked = ["user_confirmed", "imported", "observed", "inferred", "generated"]
    ranks = [trust_rank(memory("x", provenance)) for provenance in ranked]
    assert ranks == sorted(ranks)
    assert trust_rank(replace(memory("x", "user_confirmed"), lifecycle=Lifecycle.STALE)) > ranks[-1]


def test_relevance_decides_between_hits_that_do_not_touch():
    records = [memory("The canteen closes at two"), memory("Elbow joints need grease", "user_confirmed")]
    assert order_by_trust(records, [0.9, 0.5]) == [0, 1]


def test_the_trusted_one_of_a_pair_stands_directly_before_the_other():
    records = [
        memory("Elbow joints need grease daily"),
        memory("The canteen closes at two"),
        memory("Elbow joints need grease weekly", "user_confirmed"),
    ]
    assert order_by_trust(records, [0.9, 0.7, 0.4]) == [2, 0, 1]


def test_near_equal_hits_are_ordered_by_trust():
    records = [memory("alpha one"), memory("beta two", "user_confirmed"), memory("gamma three", "imported")]
    assert order_by_trust(records, [1.0, 0.97, 0.94]) == [1, 0, 2]


def test_linked_records_contradict_whatever_their_words():
    one, other = memory("alpha"), memory("omega", "user_confirmed")
    pair = {frozenset((one.id, other.id))}
    assert order_by_trust([one, other], [0.9, 0.3], pair) == [1, 0]
    assert contradictions([one, other], pair)[0].advice == f"prefer {other.id}"
    assert contradictions([one, other]) == ()


def test_equal_trust_asks():
    one, other = memory("orders-db listens on 10.1.0.5"), memory("orders-db listens on 10.1.0.9")
    found = contradictions([one, other])
    assert [(each.memory_ids, each.advice) for each in found] == [((one.id, other.id), "ask")]
