"""A secret in a question is searched with and kept nowhere: the trace has its kind in its place."""

from pathlib import Path

import pytest

from goclaw.bootstrap import open_engine
from goclaw.model.principal import Principal
from goclaw.model.record import Kind
from tests.running_gateway import KEYWORDS_ONLY

SECRET = "AKIAQ4R2ZJ7KXW3MTB5N"
ALICE = Principal("alice", project_ids=("apollo",))


@pytest.mark.parametrize("way", ["search", "recall"])
def test_the_trace_is_kept_without_the_secret(tmp_path: Path, way: str) -> None:
    engine = open_engine(tmp_path, KEYWORDS_ONLY)
    memory = engine.memory
    memory.write(ALICE, "The crane key hangs in the office", scope="personal", kind=Kind.NOTE)
    question = f"where does the crane key {SECRET} belong?"
    if way == "search":
        trace_id = memory.search(ALICE, question).trace_id
    else:
        request = {
            "schema_version": "goclaw.agent_memory.recall.v1",
            "workspace_id": "default",
            "project_id": "apollo",
            "query": question,
            "task_id": f"t {SECRET}",
            "runtime": {"name": "hermes", "version": SECRET},
            "entities": {"files": [SECRET]},
        }
        trace_id = memory.recall_for_task(ALICE, request).request_id
    assert trace_id is not None
    report = memory.trace(ALICE, trace_id)
    assert report.query == "where does the crane key [api_key] belong?"
    assert SECRET not in str(report)
    memory.close()
    kept = b"".join(file.read_bytes() for file in sorted(tmp_path.rglob("*")) if file.is_file())
    assert SECRET.encode() not in kept


def test_a_question_without_secrets_is_kept_as_it_was_asked(tmp_path: Path) -> None:
    engine = open_engine(tmp_path, KEYWORDS_ONLY)
    question = "who said that the password policy of 0198c0de-0000-7000-8000-000000000000 is too strict?"
    trace_id = engine.memory.search(ALICE, question).trace_id
    assert trace_id is not None
    assert engine.memory.trace(ALICE, trace_id).query == question
    engine.memory.close()
