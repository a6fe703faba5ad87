"""Commands that need no gateway: people, keys, secrets, settings. Each runs as a process on a real state directory."""

from pathlib import Path

import pytest

from tests.command_line import goclaw

pytestmark = pytest.mark.process


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def test_people_are_added_listed_and_given_roles(state: Path) -> None:
    added = goclaw(state, "people", "add", "mara", "--name", "Mara Lind", "--role", "admin", "--json")
    assert (added.code, added.document["roles"]) == (0, ["admin"])
    assert goclaw(state, "people", "add", "jonas").code == 0
    again = goclaw(state, "people", "add", "mara", "--json")
    assert (again.code, again.document["code"]) == (1, "conflict")
    assert goclaw(state, "people", "role", "jonas", "member", "reviewer").code == 0
    listed = goclaw(state, "people", "list", "--json").document
    assert {person["user_id"]: person["roles"] for person in listed} == {
        "mara": ["admin"],
        "jonas": ["member", "reviewer"],
    }
    assert "Mara Lind" in goclaw(state, "people", "list").out


def test_keys_are_shown_once_rotated_and_revoked(state: Path) -> None:
    nobody = goclaw(state, "keys", "create", "--user", "mara")
    assert (nobody.code, nobody.out) == (1, "")
    assert "goclaw people add" in nobody.err
    goclaw(state, "people", "add", "mara")
    made = goclaw(state, "keys", "create", "--user", "mara", "--project", "harbor", "--json").document
    assert made["key"].startswith("gck_")
    assert made["project_ids"] == ["harbor"]
    rotated = goclaw(state, "keys", "rotate", made["id"], "--json").document
    assert (rotated["id"], rotated["key"] == made["key"]) == (made["id"], False)
    assert goclaw(state, "keys", "revoke", made["id"]).code == 0
    again = goclaw(state, "keys", "rotate", made["id"], "--json")
    assert (again.code, again.document["code"]) == (1, "conflict")
    listed = goclaw(state, "keys", "list", "--json")
    (key,) = listed.document
    assert key["revoked_at"] is not None
    assert made["key"] not in listed.out
    assert "key_hash" not in key


def test_a_key_alone_on_stdout_can_be_put_into_a_variable(state: Path) -> None:
    made = goclaw(state, "keys", "create", "--kind", "job", "--name", "nightly", "--run", "cron")
    assert made.code == 0
    assert made.out.startswith("gck_")
    assert made.out.count("\n") == 1


def test_secrets_come_from_stdin_and_are_never_shown(state: Path) -> None:
    value = "not-a-real-key-4711"
    assert goclaw(state, "secrets", "set", "gemini", stdin=f"{value}\n").code == 0
    listed = goclaw(state, "secrets", "list", "--json")
    assert listed.document == ["gemini"]
    shown = goclaw(state, "config", "show", GOCLAW_AI__GEMINI__API_KEY="${secret:gemini}")
    assert "${secret:gemini}" in shown.out
    assert value not in shown.out + shown.err + listed.out
    assert all(value.encode() not in file.read_bytes() for file in state.rglob("*") if file.is_file())
    assert goclaw(state, "secrets", "rm", "gemini").code == 0
    assert goclaw(state, "secrets", "rm", "gemini").code == 1
    assert goclaw(state, "secrets", "set", "gemini", "value").code == 2, "a value is no argument"


def test_settings_are_shown_with_where_they_come_from(state: Path) -> None:
    state.mkdir()
    (state / "config.yaml").write_text("memory:\n  search:\n    max_results: 9\n")
    shown = goclaw(state, "config", "show", "--changed", "--json", GOCLAW_SERVER__PORT="9001").document
    origins = {each["key"]: (each["value"], each["origin"]) for each in shown["settings"]}
    assert origins["memory.search.max_results"] == (9, "config.yaml")
    assert origins["server.port"] == (9001, "GOCLAW_SERVER__PORT")
    assert "database.driver" not in origins
    assert shown["state_dir"] == str(state)


def test_a_wrong_setting_is_named_with_the_nearest_right_one(state: Path) -> None:
    wrong = goclaw(state, "keys", "list", "--json", GOCLAW_SERVER__PROT="1")
    assert (wrong.code, wrong.document["code"]) == (1, "settings")
    assert "GOCLAW_SERVER__PORT" in wrong.document["hint"]


@pytest.mark.parametrize("words", [["keys", "creat"], ["memory", "search"], ["serve", "--port", "x"], ["--nonsense"]])
def test_what_is_not_understood_is_2(state: Path, words: list[str]) -> None:
    done = goclaw(state, *words)
    assert (done.code, done.out) == (2, "")
    assert done.err
    assert not state.exists()
