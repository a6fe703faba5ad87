"""Pairing: a sender is nobody until somebody who runs the machine says who it is, and nobody again afterwards."""

import json
import threading
from dataclasses import replace

import pytest

from goclaw import Principal
from goclaw.errors import AccessDenied, Conflict, NotFound, StoreError
from goclaw.gateway.pairing import MOST_WAITING, PairingBook
from goclaw.gateway.people import People, command_line
from goclaw.gateway.projects import Projects
from goclaw.gateway.senders import Senders
from goclaw.model.clock import SystemClock
from goclaw.model.principal import RunKind
from goclaw.model.session import Channel
from tests.command_line import goclaw

BRIDGE = Principal(None, roles=(), run_kind="webhook", agent_id="discord")
GENERAL = Channel("discord", "general")
BY = command_line()


@pytest.fixture
def book(engine, tmp_path):
    return PairingBook(tmp_path / "state" / "credentials", engine.database, engine.clock)


@pytest.fixture
def people(engine):
    found = People(engine.database, engine.clock)
    found.add(BY, "default", "alice", roles=("member", "reviewer"))
    return found


@pytest.fixture
def senders(engine, book):
    return Senders(engine.database, book)


def pair(book, sender="4711", user="alice"):
    return book.approve(BY, "default", book.ask("default", "discord", sender).code, user)


def test_a_sender_is_known_after_approval_only(book, people):
    asked = book.ask("default", "discord", "4711", "Alice L.")
    assert book.person_of("default", "discord", "4711") is None
    assert book.ask("default", "discord", "4711").code == asked.code
    book.approve(BY, "default", asked.code.lower(), "alice")
    assert book.person_of("default", "discord", "4711") == "alice"
    assert book.person_of("default", "msteams", "4711") is None
    assert book.person_of("other", "discord", "4711") is None
    with pytest.raises(Conflict):
        book.approve(BY, "default", asked.code, "alice")
    book.revoke(BY, "default", "discord", "4711")
    assert book.person_of("default", "discord", "4711") is None


def test_each_change_leaves_a_row_in_the_audit_log(book, people, memory):
    pair(book)
    book.revoke(BY, "default", "discord", "4711")
    admin = Principal("root", roles=("admin",))
    rows = memory.audit(admin, event_type="access_changed").events
    assert [row.detail["what"] for row in rows[:2]] == ["sender_unpaired", "sender_paired"]


@pytest.mark.parametrize(("code", "user"), [("WRONGCOD", "alice"), ("", "alice"), (None, "nobody")])
def test_only_a_code_that_waits_and_a_person_that_is_registered_pair(book, people, code, user):
    asked = book.ask("default", "discord", "4711")
    with pytest.raises(NotFound):
        book.approve(BY, "default", asked.code if code is None else code, user)
    assert book.person_of("default", "discord", "4711") is None


def test_who_waits_too_long_waits_no_more(book, people, clock):
    asked = book.ask("default", "discord", "4711")
    clock.advance(days=8)
    assert book.list("default") == []
    with pytest.raises(NotFound):
        book.approve(BY, "default", asked.code, "alice")


def test_a_crowd_of_senders_does_not_push_out_the_paired_ones(book, people):
    pair(book)
    for number in range(MOST_WAITING + 5):
        book.ask("default", "discord", f"stranger-{number}")
    assert book.person_of("default", "discord", "4711") == "alice"
    assert len(book.list("default")) == MOST_WAITING + 1


def test_the_file_is_for_this_user_alone_and_says_what_is_wrong_with_it(book, people, tmp_path):
    pair(book)
    (file,) = (tmp_path / "state" / "credentials").glob("pairing-*.json")
    assert file.stat().st_mode & 0o777 == 0o600
    assert json.loads(file.read_text())["channel_kind"] == "discord"
    file.write_text("{")
    with pytest.raises(StoreError, match="damaged"):
        book.person_of("default", "discord", "4711")


def test_many_askers_at_once_lose_nothing(book):
    threads = [threading.Thread(target=book.ask, args=("default", "discord", f"s{n}")) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(book.list("default")) == 20


def test_a_paired_sender_speaks_as_their_person_with_todays_rights(book, people, senders):
    pair(book)
    speaker = senders.speaker(BRIDGE, "4711", "", GENERAL, is_room=True)
    assert speaker.pairing_code is None
    assert speaker.principal.actor_id == "human:alice"
    assert speaker.principal.roles == ("member", "reviewer")
    assert speaker.principal.channel_ids == ("general",)
    people.set_roles(BY, "default", "alice", ("member",))
    assert senders.speaker(BRIDGE, "4711", "", GENERAL, is_room=True).principal.roles == ("member",)


def test_an_unknown_sender_has_no_person_and_no_roles(book, people, senders):
    speaker = senders.speaker(BRIDGE, "666", "root", GENERAL, is_room=True)
    assert speaker.pairing_code == book.list("default")[0].code
    assert (speaker.principal.person_id, speaker.principal.roles) == (None, ())
    assert speaker.principal.run_kind is RunKind.WEBHOOK
    assert not speaker.principal.is_own_hand


def test_a_room_with_members_opens_to_them_alone(engine, book, people, senders):
    rooms = Projects(engine.database, engine.clock)
    rooms.add_channel(BY, "default", "general", project_id=None, kind="discord")
    pair(book)
    assert senders.speaker(BRIDGE, "4711", "", GENERAL, is_room=True).principal.channel_ids == ()
    rooms.add_channel_member(BY, "default", "general", "alice")
    assert senders.speaker(BRIDGE, "4711", "", GENERAL, is_room=True).principal.channel_ids == ("general",)
    assert senders.speaker(BRIDGE, "666", "", GENERAL, is_room=True).principal.channel_ids == ()


@pytest.mark.parametrize(
    ("bridge", "channel"),
    [
        (Principal("alice"), GENERAL),
        (Principal("root", roles=("admin",)), GENERAL),
        (Principal("alice", run_kind="agent", agent_id="discord"), GENERAL),
        (Principal(None, run_kind="cron", agent_id="discord"), GENERAL),
        (BRIDGE, Channel("msteams", "general")),
        (BRIDGE, None),
        (Principal(None, run_kind="webhook", agent_id="discord", channel_ids=("other",)), GENERAL),
    ],
)
def test_only_the_bridge_of_its_own_kind_names_senders(book, people, senders, bridge, channel):
    pair(book)
    with pytest.raises(AccessDenied):
        senders.speaker(bridge, "4711", "", channel, is_room=True)


@pytest.mark.process
def test_pairing_from_the_command_line(book, people, engine, tmp_path):
    state = tmp_path / "state"
    code = replace(book, clock=SystemClock()).ask("default", "discord", "4711", "Alice L.").code
    engine.memory.close()
    assert goclaw(state, "pair", "list", "--json").document[0]["code"] == code
    assert goclaw(state, "pair", "approve", code, "--user", "alice", "--json").document["user_id"] == "alice"
    assert "alice" in goclaw(state, "pair", "list").out
    assert goclaw(state, "pair", "revoke", "discord", "4711").code == 0
    assert goclaw(state, "pair", "revoke", "discord", "4711").code == 1
