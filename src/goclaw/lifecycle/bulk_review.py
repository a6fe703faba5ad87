"""Bulk review: the same decision about many records, each in a unit of its own, with an honest account."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goclaw.lifecycle.review import Reviewer
from goclaw.lifecycle.review_desk import guard_words
from goclaw.lifecycle.review_request import read_review
from goclaw.lifecycle.review_rights import require_human
from goclaw.model.errors import Conflict, GoclawError, InvalidInput
from goclaw.model.principal import Principal

MAX_IDS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkResult:
    """What became of each id."""

    done: tuple[str, ...]
    skipped: Mapping[str, str]  # id -> why: its state does not allow the action (any more)
    failed: Mapping[str, str]  # id -> why: not there, or not this reviewer's to decide


def bulk_review(
    reviewer: Reviewer, principal: Principal, memory_ids: Sequence[str], action: str, notes: str | None = None
) -> BulkResult:
    """Take one action that needs no more than its name on up to 500 records.

    Raises AccessDenied and InvalidInput for the whole; what concerns one record stands in the result.
    """
    require_human(principal)
    ids = tuple(dict.fromkeys(memory_ids))
    if not 1 <= len(ids) <= MAX_IDS:
        raise InvalidInput("The number of records is out of range.", f"Name 1 to {MAX_IDS}.")
    max_chars = reviewer.writer.settings.memory.max_content_chars
    # What is wrong with the request is wrong for all.
    request = read_review(action, notes=notes, max_content_chars=max_chars)
    guard_words(reviewer.writer, principal, {"notes": request.notes})
    done: list[str] = []
    skipped: dict[str, str] = {}
    failed: dict[str, str] = {}
    for memory_id in ids:
        try:
            reviewer.review(principal, memory_id, action, notes=notes)
            done.append(memory_id)
        except Conflict as error:
            skipped[memory_id] = str(error)
        except GoclawError as error:
            failed[memory_id] = str(error)
    return BulkResult(done=tuple(done), skipped=skipped, failed=failed)
