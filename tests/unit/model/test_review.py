"""The nine review actions: the two tables of governance.md 5."""

import pytest

from goclaw.model.errors import Conflict
from goclaw.model.lifecycle import Lifecycle as L
from goclaw.model.provenance import Provenance as P
from goclaw.model.review import LEGAL_ACTIONS, TRANSITIONS, transition
from goclaw.model.review import ReviewAction as A
from goclaw.model.review import ReviewStatus as R


@pytest.mark.parametrize(("action", "review", "lifecycle", "provenance", "needs"), [
    (A.CONFIRM,        R.CONFIRMED,     L.ACTIVE,     P.USER_CONFIRMED, ""),
    (A.EDIT,           R.CONFIRMED,     L.ACTIVE,     P.USER_CONFIRMED, "text"),
    (A.EVIDENCE_ONLY,  R.EVIDENCE_ONLY, L.ACTIVE,     None,             ""),
    (A.RESTRICT_SCOPE, R.RESTRICTED,    None,         None,             "target"),
    (A.MARK_STALE,     R.STALE,         L.STALE,      None,             ""),
    (A.MERGE,          R.MERGED,        L.MERGED,     P.SUPERSEDED,     "related"),
    (A.REJECT,         R.REJECTED,      L.REJECTED,   None,             ""),
    (A.DISPUTE,        None,            L.DISPUTED,   P.DISPUTED,       ""),
    (A.SUPERSEDE,      None,            L.SUPERSEDED, P.SUPERSEDED,     "related"),
])  # fmt: skip
def test_what_an_action_does(action, review, lifecycle, provenance, needs):
    step = TRANSITIONS[action]
    assert (step.review, step.lifecycle, step.provenance) == (review, lifecycle, provenance)
    assert step.needs_text is (needs == "text")
    assert step.needs_target is (needs == "target")
    assert step.needs_related is (needs == "related")


@pytest.mark.parametrize(("lifecycle", "legal"), [
    (L.ACTIVE,     set(A)),
    (L.STALE,      set(A)),
    (L.DISPUTED,   set(A) - {A.DISPUTE}),
    (L.EXPIRED,    {A.CONFIRM, A.EDIT, A.EVIDENCE_ONLY, A.REJECT}),
    (L.SUPERSEDED, {A.REJECT}),
    (L.MERGED,     set()),
    (L.REJECTED,   set()),
])  # fmt: skip
def test_what_is_legal_when(lifecycle, legal):
    assert set(LEGAL_ACTIONS[lifecycle]) == legal
    for action in A:
        if action in legal:
            assert transition(lifecycle, action) is TRANSITIONS[action]
        else:
            with pytest.raises(Conflict) as refused:
                transition(lifecycle, action)
            assert all(name in refused.value.hint for name in legal)


def test_a_dead_end_says_to_write_it_anew():
    with pytest.raises(Conflict, match="anew"):
        transition(L.REJECTED, A.CONFIRM)
