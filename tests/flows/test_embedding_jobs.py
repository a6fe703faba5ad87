"""Vectors follow a write as a job: whatever the service does, the record stays and is found by keyword."""

import pytest

from goclaw.model.hit import Reason
from goclaw.model.job import JobState
from goclaw.storage import index_meta, jobs, pending_vectors, vectors
from tests.fakes.openai_server import Answer, OpenAiServer, too_many
from tests.flows.conftest import HASHING
from tests.flows.people import ADA, ALICE


@pytest.fixture
def service():
    with OpenAiServer() as server:
        yield server


def by_service(server, **more):
    return {
        "memory.search.provider": "openai_compatible",
        "memory.search.base_url": server.url,
        "memory.search.model": "fake-a",
        **more,
    }


def counts(engine):
    with engine.database.read() as reader:
        current = index_meta.current(reader)
        stored = vectors.count(reader, current.model_no) if current else 0
        return stored, pending_vectors.count(reader), pending_vectors.count_refused(reader)


def the_job(engine):
    with engine.database.read() as reader:
        return jobs.page(reader, limit=10)[0]


def work(engine):
    engine.workers.run_due_jobs(deadline_s=20)


def contents(found):
    return [hit.record.content for hit in found.hits]


def test_vectors_are_there_after_the_wait(open_store):
    engine = open_store(HASHING)
    engine.memory.write(ALICE, "Prefers metric units", scope="personal")
    assert counts(engine) == (0, 1, 0)
    assert engine.memory.wait_until_indexed()
    assert counts(engine) == (1, 0, 0)
    hit = engine.memory.search(ALICE, "metric units").hits[0]
    assert hit.score_parts["cosine"] > 0


def test_workers_do_it_by_themselves(open_store):
    engine = open_store(HASHING, workers=2)
    for number in range(20):
        engine.memory.write(ALICE, f"note number {number}", scope="personal")
    assert engine.memory.wait_until_indexed(timeout_s=20)
    assert counts(engine) == (20, 0, 0)


def test_the_same_text_is_not_sent_twice(open_store, service):
    engine = open_store(by_service(service))
    for kind in ("note", "fact"):
        engine.memory.write(ALICE, "Prefers metric units", scope="personal", kind=kind)
        work(engine)
    assert counts(engine) == (2, 0, 0)
    assert sum(len(request.texts) for request in service.requests) == 1


def test_R031_a_service_that_is_down_costs_only_the_vectors(open_store):
    engine = open_store(
        {
            "memory.search.provider": "openai_compatible",
            "memory.search.base_url": "http://127.0.0.1:9/v1",
            "memory.search.model": "fake",
        }
    )
    engine.memory.write(ALICE, "Prefers metric units", scope="personal")
    work(engine)
    found = engine.memory.search(ALICE, "metric units")
    assert contents(found) == ["Prefers metric units"]
    assert found.notes == (Reason.PROVIDER_DOWN,)
    assert counts(engine) == (0, 1, 0)
    assert engine.memory.stats(ADA)["store"]["vectors"]["pending"] == 1


def test_R029_one_refused_text_does_not_sink_the_others(open_store, service):
    service.refuses = lambda text: "poison" in text
    engine = open_store(by_service(service))
    for text in ("alpha is fine", "poison is not", "omega is fine"):
        engine.memory.write(ALICE, text, scope="personal")
    work(engine)
    assert counts(engine) == (2, 0, 1)
    assert the_job(engine).state is JobState.DONE
    asked = len(service.requests)
    work(engine)
    assert len(service.requests) == asked  # a refused text is not sent for ever
    assert contents(engine.memory.search(ALICE, "poison")) == ["poison is not"]


def test_R030_retry_after_is_waited_for(open_store, service, clock):
    service.script = [too_many("30"), too_many("30")]
    engine = open_store(by_service(service))
    engine.memory.write(ALICE, "Prefers metric units", scope="personal")
    for waited in range(2):
        work(engine)
        assert len(service.requests) == waited + 1
        clock.advance(seconds=29)
        work(engine)
        assert len(service.requests) == waited + 1
        clock.advance(seconds=2)
    work(engine)
    assert counts(engine) == (1, 0, 0)
    assert the_job(engine).attempts == 3


@pytest.mark.parametrize(
    "answer", [Answer(500), Answer(body='{"data": [{"emb'), Answer(body=""), Answer(rows={0: "[NaN]"})]
)
def test_a_passing_fault_is_tried_again_later(open_store, service, clock, answer):
    service.script = [answer]
    engine = open_store(by_service(service))
    engine.memory.write(ALICE, "Prefers metric units", scope="personal")
    work(engine)
    assert counts(engine)[:2] == (0, 1)
    clock.advance(seconds=60)
    work(engine)
    assert counts(engine) == (1, 0, 0)


def test_a_job_that_never_succeeds_ends_among_the_dead_and_can_be_retried(open_store, service, clock):
    service.script = [Answer(500)] * 40
    engine = open_store(by_service(service))
    engine.memory.write(ALICE, "Prefers metric units", scope="personal")
    for _ in range(12):
        work(engine)
        clock.advance(hours=1)
    dead = engine.memory.jobs.page(ADA, state=JobState.DEAD)
    assert [job.attempts for job in dead] == [10]
    assert "metric" not in dead[0].last_error
    service.script.clear()
    engine.memory.jobs.retry(ADA, dead[0].id)
    work(engine)
    assert counts(engine) == (1, 0, 0)


@pytest.mark.parametrize("change", [{"memory.search.model": "fake-c"}, {"memory.search.dims": 12}])
def test_R025_R026_a_changed_model_pauses_vectors_until_the_reindex_switches_over(open_store, service, change):
    first = open_store(by_service(service))
    first.memory.write(ALICE, "Prefers metric units", scope="personal")
    work(first)
    first.memory.close()
    service.dims = change.get("memory.search.dims", service.dims)
    engine = open_store(by_service(service, **change))
    found = engine.memory.search(ALICE, "metric units")
    assert contents(found) == ["Prefers metric units"]
    assert found.hits[0].score_parts["cosine"] is None
    assert Reason.VECTORS_PAUSED in found.notes
    engine.memory.write(ALICE, "Prefers short answers", scope="personal")
    work(engine)
    assert counts(engine) == (1, 1, 0)
    assert engine.memory.stats(ADA)["store"]["vectors"]["paused_because"] == Reason.VECTORS_PAUSED
    engine.memory.jobs.reindex(ADA)
    work(engine)
    assert counts(engine)[0] == 2
    found = engine.memory.search(ALICE, "metric units")
    assert found.notes == ()
    assert found.hits[0].score_parts["cosine"] is not None


def test_a_reindex_that_was_interrupted_goes_on_where_it_was(open_store, service, clock):
    engine = open_store(by_service(service))
    for number in range(300):
        engine.memory.write(ALICE, f"note number {number}", scope="personal")
    work(engine)
    engine.memory.close()
    engine = open_store(by_service(service, **{"memory.search.model": "fake-b"}))
    asked = len(service.requests)
    service.script = [Answer(), Answer(500), Answer(500), Answer(500)]
    engine.memory.jobs.reindex(ADA)
    work(engine)
    with engine.database.read() as reader:
        assert index_meta.building(reader) is not None
    service.script.clear()
    clock.advance(hours=1)
    work(engine)
    assert counts(engine)[0] == 300
    sent = [text for request in service.requests[asked:] for text in request.texts]
    assert len(sent) < 2 * 300


def test_a_keyword_store_that_gets_a_model_is_embedded_on_request(open_store):
    engine = open_store()
    engine.memory.write(ALICE, "Prefers metric units", scope="personal")
    engine.memory.close()
    engine = open_store(HASHING)
    engine.memory.jobs.reindex(ADA)
    work(engine)
    assert counts(engine) == (1, 0, 0)
