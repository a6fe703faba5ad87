"""No sequence of calls shows anybody what is not theirs: in no answer, error, count, trace, audit row or cursor.

Two workspaces, three projects, two channels (one with members of its own), four people and their agents, a job and an
import do random things through the Python face. ``GOCLAW_SOAK=1``: 10,000 sequences, else 300.
"""

import os
import re
import uuid
from itertools import count
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from goclaw import Principal
from goclaw.bootstrap import open_engine
from goclaw.model.clock import ManualClock
from goclaw.model.errors import GoclawError
from goclaw.model.review import ReviewAction
from goclaw.recall import find_trace
from goclaw.storage import channels
from goclaw.storage.channels import Channel
from goclaw.storage.memories import RecordFilter
from tests.flows.conftest import START
from tests.never.may_know import (
    HOME,
    MANAGED_CHANNEL,
    OPEN_CHANNEL,
    ORGANIZATION,
    Ledger,
    Note,
    Place,
    is_reviewer,
    may_know,
    new_marker,
)

IS_SOAK = bool(os.environ.get("GOCLAW_SOAK"))
SEQUENCES = 10_000 if IS_SOAK else 300
STEPS = 25
SETTINGS = {"memory.search.provider": "none", "memory.search.min_score": 0}
WORDS = ("burrow", "carrot", "tunnel")
UNKNOWN = str(uuid.UUID(int=0x0198_C0DE_0000_7000_8000_0000_0000_0000))
ANY_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_worlds = count()

whos = st.integers(0, 11)
reviewers = st.sampled_from((1, 2, 3)) | whos
whichs = st.integers(0, 40)
flags = st.booleans()
words = st.sampled_from(WORDS)
# scope, project, channel, visibility of a write
writes = st.sampled_from(
    (
        ("personal", None, None, None),
        ("agent_notes", None, None, None),
        ("agent_notes", "apollo", None, None),
        ("agent_notes", "zeus", None, None),
        ("agent_notes", "apollo", OPEN_CHANNEL, None),
        ("agent_notes", "apollo", MANAGED_CHANNEL, None),
        ("agent_notes", None, None, "organization"),
        ("agent_config", None, None, None),
        ("global", None, None, None),
    )
)
levels = st.sampled_from(("personal", "channel", "project", "workspace", "organization"))
projects = st.sampled_from((None, "apollo", "zeus"))
some_channels = st.sampled_from((None, OPEN_CHANNEL, MANAGED_CHANNEL))


def people_of(home, away):
    """Twelve who ask. The agents share a name, as agents of many people do; the away workspace has the same names."""
    alice = {"workspace_id": home, "project_ids": ("apollo",), "channel_ids": (MANAGED_CHANNEL,)}
    bob = {"workspace_id": home, "project_ids": ("apollo",), "roles": ("member", "reviewer")}
    carol = {"workspace_id": home, "project_ids": ("zeus",), "roles": ("admin",)}
    dave = {"workspace_id": away, "project_ids": ("apollo",), "roles": ("reviewer",)}
    named = {"alice": alice, "bob": bob, "carol": carol, "dave": dave}
    return (
        *(Principal(name, **more) for name, more in named.items()),
        *(Principal(name, run_kind="agent", agent_id="scribe", **more) for name, more in named.items()),
        Principal(None, run_kind="cron", agent_id="nightly", workspace_id=home, project_ids=("apollo",)),
        Principal(None, run_kind="import", agent_id="crm", workspace_id=home, project_ids=("zeus",)),
        Principal("alice", workspace_id=away, project_ids=("apollo",)),
        Principal(None, workspace_id=home),
    )


class Strangers(RuleBasedStateMachine):
    """One sequence, in two workspaces of its own."""

    engine = None
    common_places: ClassVar = set()  # of the organization: they stay when their memories are gone

    def __init__(self):
        super().__init__()
        number = next(_worlds)
        self.home, self.away = f"{HOME}{number}", f"away{number}"
        self.cast = people_of(self.home, self.away)
        self.ledger = Ledger()
        self.last_write_back = None
        self.memory = self.engine.memory
        managed = Channel(
            workspace_id=self.home, channel_id=MANAGED_CHANNEL, project_id="apollo", kind="room", created_at=0
        )
        self.engine.database.write(lambda unit: channels.add(unit, managed))

    def teardown(self):
        """What is everybody's would be in every other sequence."""
        carol = self.cast[2]
        for record in self.memory.list(carol, limit=200).records:
            if record.workspace_id == ORGANIZATION:
                self.memory.forget(carol, record.id)

    @initialize()
    def begin(self):
        """Something everywhere, and a question of everybody, so that what follows meets what is not its own."""
        alice, bob, carol, dave = range(4)
        for who, (scope, project, channel) in (
            (alice, ("personal", None, None)),
            (bob, ("agent_notes", "apollo", None)),
            (alice, ("agent_notes", "apollo", MANAGED_CHANNEL)),
            (carol, ("agent_notes", "zeus", None)),
            (carol, ("agent_notes", None, None)),
            (dave, ("agent_notes", "apollo", None)),
        ):
            self.write(who, (scope, project, channel, None), WORDS[0], again=False, which=0)
        for who in (alice, bob, carol):
            self.find(who, WORDS[0], "search", more=True)

    # -- asking, and judging what comes back

    def ask(self, who, call, *arguments, is_own_trace=False, **more):
        """The answer, or the error it ended in; either way nothing in it is foreign."""
        try:
            answer = call(who, *arguments, **more)
        except GoclawError as error:
            answer = error
        found = self.ledger.leaks(who, answer, repr((arguments, more)), is_own_trace=is_own_trace)
        assert not found, f"{call.__name__} told {who}: {found} in {answer!r}"
        return answer

    def some_id(self, which, who=None):
        """Any memory; with ``who`` mostly one they know, so that more than refusals happens."""
        ids = list(self.ledger.notes)
        if who is not None and which % 4:
            ids = self.ledger.known(who) or ids
        return ids[which % len(ids)] if ids else UNKNOWN

    def some_trace(self, which, who):
        """Any recall, mostly one that ``who`` may look at."""
        ids = list(self.ledger.traces)
        if which % 4:
            ids = [each for each in ids if self.may_trace(who, each)] or ids
        return ids[which % len(ids)] if ids else UNKNOWN

    def may_trace(self, who, trace_id):
        asker = self.ledger.traces[trace_id]
        return asker == who or (is_reviewer(who) and asker.workspace_id == who.workspace_id)

    def place(self, who, scope, project, channel, visibility):
        if scope == "personal":
            return Place(who.workspace_id, owner=who.user_id)
        if visibility == "organization":
            return Place(ORGANIZATION)
        return Place(
            who.workspace_id,
            project=project,
            channel=channel,
            is_config=scope == "agent_config",
            is_guideline=scope == "global",
        )

    def note_place(self, place):
        (self.common_places if place.workspace == ORGANIZATION else self.ledger.places).add(place)

    def known_places(self, who):
        return [place for place in self.ledger.places | self.common_places if may_know(who, place)]

    def book(self, who, record, place, text, *sources):
        """Enter what was stored: a new memory, or what was added to a known one."""
        self.note_place(place)
        note = self.ledger.notes.setdefault(record.id, Note(place, who.user_id, text))
        assert note.place == place
        for marker in (text, *sources):
            self.ledger.stays_with(marker, record.id)
        note.sources.update(sources)

    # -- what people, agents, jobs and imports do

    @rule(who=whos, where=writes, word=words, again=flags, which=whichs)
    def write(self, who, where, word, again, which):
        who, (scope, project, channel, visibility) = self.cast[who], where
        text, source = new_marker(), new_marker()
        known = self.ledger.known(who)
        if again and known:
            text = self.ledger.notes[known[which % len(known)]].text  # the same words, perhaps elsewhere
        answer = self.ask(
            who,
            self.memory.write,
            f"The wombat of the {word} {text}" if not again else f"The wombat {text}",
            scope=scope,
            project_id=project,
            channel_id=channel,
            visibility=visibility,
            tags=[text],
            domain=text,
            source_refs=[{"kind": "page", "uri": f"https://example.test/{source}", "title": source}],
            external_ref=source,
            session_id=source,
            metadata={"about": text},
        )
        if not isinstance(answer, GoclawError):
            self.book(who, answer, self.place(who, *where), text, source)

    @rule(who=whos, project=projects, channel=some_channels, level=st.none() | levels, which=whichs, repeat=flags)
    def write_back(self, who, project, channel, level, which, repeat):
        who = self.cast[who]
        text, source = new_marker(), new_marker()
        request = {
            "schema_version": "openbrain.agent_memory.writeback.v1",
            "workspace_id": who.workspace_id,
            "project_id": project,
            "channel": {"id": channel, "kind": "room"},
            "requested_visibility": level,
            "task_id": f"task {text}",
            "idempotency_key": f"key {which % 3}",
            "source_refs": [{"kind": "page", "title": source}],
            "memory_payload": {
                "lessons": [f"The wombat {text}"],
                "artifacts": [{"kind": "file", "uri": f"file:{text}", "description": f"wombat file {text}"}],
                "entities": {"topics": [text]},
            },
        }
        if repeat and self.last_write_back:
            request, text, source = self.last_write_back
            request = {**request, "workspace_id": who.workspace_id}
        elif which % 2:
            request["recall_request_id"] = self.some_trace(which, who)
        self.last_write_back = request, text, source
        answer = self.ask(who, self.memory.write_back, request)
        if isinstance(answer, GoclawError):
            return
        project, channel = request["project_id"], request["channel"]["id"]
        level = request["requested_visibility"] or ("project" if project else "personal")
        for record in answer.records:
            place = Place(who.workspace_id, **self.named_place(level, project, channel, who.user_id))
            self.book(who, record, Place(ORGANIZATION) if level == "organization" else place, text, source)
            if "recall_request_id" in request:
                self.ledger.links.setdefault(request["recall_request_id"], set()).add(record.id)

    def named_place(self, level, project, channel, person):
        return {
            "personal": {"owner": person},
            "channel": {"project": project, "channel": channel},
            "project": {"project": project},
        }.get(level, {})

    @rule(who=whos, which=whichs, tags_only=flags)
    def update(self, who, which, tags_only):
        who, memory_id, text = self.cast[who], self.some_id(which, self.cast[who]), new_marker()
        more = {"tags": [text]} if tags_only else {"content": f"The wombat changed {text}", "tags": [text]}
        if isinstance(self.ask(who, self.memory.update, memory_id, **more), GoclawError):
            return
        self.ledger.stays_with(text, memory_id)
        if not tags_only:
            self.replace_text(memory_id, text)

    def replace_text(self, memory_id, text):
        note = self.ledger.notes[memory_id]
        note.text = text
        self.ledger.stays_with(text, memory_id)

    @rule(who=whos, which=whichs)
    def forget(self, who, which):
        who, memory_id = self.cast[who], self.some_id(which, self.cast[who])
        if not isinstance(self.ask(who, self.memory.forget, memory_id), GoclawError):
            self.ledger.notes[memory_id].is_forgotten = True

    # -- what reviewers do, and others try

    @rule(
        who=whos, which=whichs, other=whichs, action=st.sampled_from(ReviewAction), level=levels, project=projects,
        channel=some_channels,
    )  # fmt: skip
    def review(self, who, which, other, action, level, project, channel):
        who, memory_id, related = (
            self.cast[who],
            self.some_id(which, self.cast[who]),
            self.some_id(other, self.cast[who]),
        )
        words, notes = new_marker(), new_marker()
        more = {"notes": f"because {notes}"}
        if action in ("merge", "supersede", "dispute"):
            more["related_id"] = related
        elif action == "edit":
            more["content"] = f"The wombat reworded {words}"
        elif action == "restrict_scope":
            more |= {"visibility": level, "project_id": project, "channel_id": channel}
        if isinstance(self.ask(who, self.memory.review, memory_id, action, **more), GoclawError):
            return
        note = self.ledger.notes[memory_id]
        self.ledger.was_said(notes, memory_id)
        if action == "edit":
            self.ledger.was_said(note.text, memory_id)
            self.replace_text(memory_id, words)
            self.ledger.stays_with(words, memory_id)
        elif action == "restrict_scope":
            self.move(who, memory_id, level, project, channel)
        elif action == "supersede":
            self.ledger.stays_with(notes, memory_id)  # it becomes the reason in the superseded record
        elif action == "merge" and self.is_within(self.ledger.notes[related].place, note.place):
            for marker in note.sources:
                self.ledger.stays_with(marker, related)
            self.ledger.notes[related].sources |= note.sources

    def is_within(self, inner, outer):
        return all(may_know(each, outer) for each in self.cast if may_know(each, inner))

    def move(self, who, memory_id, level, project, channel):
        note = self.ledger.notes[memory_id]
        project = project or note.place.project
        if project is None and level in ("project", "channel") and channel == MANAGED_CHANNEL:
            project = "apollo" if who.workspace_id == self.home else None  # the one that channel lies in
        named = self.named_place(level, project, channel, note.person)
        workspace = ORGANIZATION if level == "organization" else who.workspace_id
        is_wide = level in ("workspace", "organization")
        kept = {"is_config": note.place.is_config, "is_guideline": note.place.is_guideline} if is_wide else {}
        note.place = Place(workspace, **named, **kept)
        self.note_place(note.place)

    @rule(who=reviewers, which=whichs, level=levels, project=projects, channel=some_channels)
    def widen(self, who, which, level, project, channel):
        who, memory_id, reason = self.cast[who], self.some_id(which, self.cast[who]), new_marker()
        answer = self.ask(
            who, self.memory.widen, memory_id, level, f"since {reason}", project_id=project, channel_id=channel
        )
        if isinstance(answer, GoclawError):
            return
        self.move(who, memory_id, level, project, channel)
        self.ledger.notes[memory_id].times_widened += 1
        self.ledger.was_said(reason, memory_id)

    @rule(who=whos, which=whichs, other=whichs, action=st.sampled_from(ReviewAction))
    def propose(self, who, which, other, action):
        who, memory_id, notes = self.cast[who], self.some_id(which, self.cast[who]), new_marker()
        more = {"related_id": self.some_id(other, who)} if other % 2 else {}
        answer = self.ask(who, self.memory.propose, memory_id, action, f"because {notes}", **more)
        if not isinstance(answer, GoclawError):
            self.ledger.was_said(notes, memory_id)

    @rule(days=st.sampled_from((1, 100)))
    def wait(self, days):
        self.engine.clock.advance(days=days)

    # -- what everybody asks

    @rule(who=whos, word=words, way=st.sampled_from(("recall", "search")), more=flags)
    def find(self, who, word, way, more):
        who, question = self.cast[who], new_marker()
        option = "include_unconfirmed" if way == "recall" else "include_history"
        self.ledger.questions[question] = who, False
        answer = self.ask(who, getattr(self.memory, way), f"wombat {word} {question}", **{option: more})
        self.note_trace(who, answer.trace_id)
        assert answer.searched_namespaces <= len(self.known_places(who))

    @rule(who=whos, project=projects, channel=some_channels, level=levels, only=flags, is_private=flags)
    def recall_for_task(self, who, project, channel, level, only, is_private):
        who, question = self.cast[who], new_marker()
        self.ledger.questions[question] = who, is_private
        request = {
            "workspace_id": who.workspace_id,
            "project_id": project,
            "query": f"wombat {question}",
            "entities": {"topics": [f"about {question}"]},
            "task_id": f"task {question}" if not is_private else None,
            "channel": {"id": channel},
            "scope": {"visibility": level, "project_only": only, "include_unconfirmed": True, "include_stale": True},
            "sensitivity": {"contains_customer_data": is_private},
        }
        answer = self.ask(who, self.memory.recall_for_task, request)
        if not isinstance(answer, GoclawError):
            self.note_trace(who, answer.request_id)

    def note_trace(self, who, trace_id):
        if trace_id is not None:
            self.ledger.traces[trace_id] = who

    @rule(who=whos, which=whichs)
    def look(self, who, which):
        who, memory_id = self.cast[who], self.some_id(which, self.cast[who])
        record = self.ask(who, self.memory.get, memory_id)
        assert (record is not None) == (memory_id in self.ledger.known(who))
        self.ask(who, self.memory.inspect, memory_id)
        self.ask(who, self.memory.impact, memory_id)

    @rule(who=whos)
    def list_all(self, who):
        who, cursor, ids = self.cast[who], None, []
        while True:
            page = self.ask(who, self.memory.list, RecordFilter(), cursor=cursor, limit=3)
            ids += [record.id for record in page.records]
            cursor = page.next_cursor
            if cursor is None:
                break
            assert len(page.records) == 3, "a page that is not full tells that something was left out"
        assert sorted(ids) == sorted(self.ledger.known(who))

    @rule(who=whos)
    def queue(self, who):
        who, cursor = self.cast[who], None
        while True:
            page = self.ask(who, self.memory.review_queue, cursor=cursor, limit=2)
            cursor = page.next_cursor
            if cursor is None:
                return
            assert len(page.entries) == 2

    @rule(who=whos, which=whichs, used=whichs)
    def trace(self, who, which, used):
        who, trace_id, memory_id = (
            self.cast[who],
            self.some_trace(which, self.cast[who]),
            self.some_id(used, self.cast[who]),
        )
        is_own = self.ledger.traces.get(trace_id) == who
        self.ask(who, self.memory.trace, trace_id, is_own_trace=is_own)
        self.ask(who, self.memory.report_usage, trace_id, [memory_id])

    @rule(who=whos)
    def list_traces(self, who):
        who, cursor, ids = self.cast[who], None, []
        while True:
            page = self.ask(who, self.memory.traces, cursor=cursor, limit=2)
            if isinstance(page, GoclawError):
                return
            ids += [trace.request_id for trace in page.traces]
            cursor = page.next_cursor
            if cursor is None:
                break
            assert len(page.traces) == 2, "a page that is not full tells that something was left out"
        assert all(self.may_trace(who, each) for each in ids)

    @rule(who=whos)
    def audit(self, who):
        who, cursor = self.cast[who], None
        while True:
            page = self.ask(who, self.memory.audit, cursor=cursor, limit=4)
            for event in page.events:
                assert event.workspace_id == who.workspace_id
                assert is_reviewer(who) or event.actor_id == who.actor_id
            cursor = page.next_cursor
            if cursor is None:
                return
            assert len(page.events) == 4, "a page that is not full tells that something was left out"

    @rule(who=whos)
    def stats(self, who):
        who = self.cast[who]
        figures = self.ask(who, self.memory.stats)
        known = self.ledger.known(who)
        assert figures["records"] == len(known)
        assert figures["chunks"] <= len(known)
        assert figures["namespaces"] == len(self.known_places(who))
        assert sum(figures["by_lifecycle"].values()) == len(known)
        assert ("store" in figures) == (who.run_kind == "person" and "admin" in who.roles)

    # -- what is there and not yours is not there

    @rule(who=whos, which=whichs)
    def probe(self, who, which):
        who = self.cast[who]
        foreign = [memory_id for memory_id, note in self.ledger.notes.items() if not may_know(who, note.place)]
        if foreign:
            memory_id = foreign[which % len(foreign)]
            assert self.attempts(who, memory_id) == self.attempts(who, UNKNOWN)
        traces = [trace_id for trace_id in self.ledger.traces if not self.may_trace(who, trace_id)]
        if traces:
            trace_id = traces[which % len(traces)]
            assert self.trace_attempts(who, trace_id) == self.trace_attempts(who, UNKNOWN)

    def attempts(self, who, memory_id):
        memory = self.memory
        return [
            self.outcome(who, memory.get, memory_id),
            self.outcome(who, memory.inspect, memory_id),
            self.outcome(who, memory.update, memory_id, content="x", expected_version=1),
            self.outcome(who, memory.forget, memory_id),
            self.outcome(who, memory.review, memory_id, "confirm"),
            self.outcome(who, memory.propose, memory_id, "confirm", "x"),
            self.outcome(who, memory.widen, memory_id, "workspace", "x"),
            self.outcome(who, memory.audit, memory_id=memory_id),
            self.outcome(who, memory.impact, memory_id),
            self.outcome(who, memory.review_many, [memory_id], "confirm"),
            *self.attempts_beside_own(who, memory_id),
        ]

    def attempts_beside_own(self, who, memory_id):
        """A foreign memory named as the other one of a review of one's own."""
        return [
            self.outcome(who, call, own, action, related_id=memory_id, notes="x")
            for own in self.ledger.known(who)[:1]
            for call in (self.memory.review, self.memory.propose)
            for action in ("merge", "supersede", "dispute")
        ]

    def trace_attempts(self, who, trace_id):
        request = {
            "schema_version": "openbrain.agent_memory.writeback.v1",
            "workspace_id": who.workspace_id,
            "recall_request_id": trace_id,
            "project_id": who.project_ids[0] if who.project_ids else None,
            "memory_payload": {"lessons": ["The wombat"]},
        }
        return [
            self.outcome(who, self.memory.trace, trace_id),
            self.outcome(who, self.memory.report_usage, trace_id, [UNKNOWN]),
            self.outcome(who, self.memory.write_back, request),
            self.outcome(who, self.memory.audit, request_id=trace_id),
        ]

    def outcome(self, who, call, *arguments, **more):
        answer = self.ask(who, call, *arguments, **more)
        # An answer may name what it was asked about; beyond that, foreign and unknown ids look the same.
        return (type(answer).__name__, ANY_ID.sub("id", str(answer)))

    @rule(who=whos, where=writes, writer=whos, times=st.integers(1, 3), word=words)
    def others_write(self, who, where, writer, times, word):
        """What others write where the asker may not look changes nothing for the asker: no score, count or page."""
        who, writer = self.cast[who], self.cast[writer]
        if may_know(who, self.place(writer, *where)):
            return
        before = self.all_that_shows(who, word)
        for _ in range(times):
            self.write(self.cast.index(writer), where, word, again=False, which=0)
        assert self.all_that_shows(who, word) == before

    def all_that_shows(self, who, word):
        figures = self.ask(who, self.memory.stats)
        figures.pop("store", None)
        found = [
            self.ask(who, self.memory.search, f"wombat {word}", include_history=True),
            self.ask(who, self.memory.recall, f"wombat {word}", include_unconfirmed=True),
        ]
        for each in found:
            self.note_trace(who, each.trace_id)
        return (
            figures,
            [(each.hits, each.reason, each.notes, each.withheld, each.searched_namespaces) for each in found],
            self.ask(who, self.memory.list, limit=2),
            self.ask(who, self.memory.review_queue, limit=2),
            self.ask(who, self.memory.audit, event_type="memory_written", limit=2),
        )


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """One store for all sequences: each has its own workspaces."""
    monkeypatch.setattr(find_trace, "PATIENCE_S", 0)
    engine = open_engine(tmp_path / "state", SETTINGS, clock=ManualClock(START), workers=0)
    yield engine
    engine.memory.close()


def test_no_sequence_shows_anybody_what_is_not_theirs(engine, monkeypatch):
    monkeypatch.setattr(Strangers, "engine", engine)
    monkeypatch.setattr(Strangers, "common_places", set())
    run_state_machine_as_test(
        Strangers,
        settings=settings(
            max_examples=SEQUENCES,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            derandomize=not IS_SOAK,
            suppress_health_check=list(HealthCheck),
        ),
    )
