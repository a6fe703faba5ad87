"""Where settings come from, who wins, and how mistakes are named."""

from pathlib import Path

import pytest

from goclaw.model.errors import SecretsError, SettingsError
from goclaw.settings.load import (
    Origin,
    find_state_dir,
    key_of_variable,
    load_gateway_target,
    load_settings,
    variable_of_key,
    write_first_config,
)
from goclaw.settings.secrets import Vault


def write_config(state_dir: Path, text: str) -> None:
    (state_dir / "config.yaml").write_text(text, encoding="utf-8")


def problem(state_dir: Path, config: str = "", variables: dict[str, str] | None = None, **overrides: object) -> str:
    write_config(state_dir, config)
    with pytest.raises(SettingsError) as caught:
        load_settings(state_dir, overrides, variables or {})
    # What a program logs of an error: itself and everything it hangs on.
    assert caught.value.__context__ is None
    return str(caught.value)


def test_the_order_is_default_file_environment_argument(tmp_path: Path) -> None:
    write_config(
        tmp_path, "memory:\n  search:\n    min_score: 0.1\n    max_results: 1\n    rrf_k: 1\nserver.port: 1234\n"
    )
    loaded = load_settings(
        tmp_path,
        {"memory.search.rrf_k": 3},
        {"GOCLAW_MEMORY__SEARCH__MAX_RESULTS": "2", "GOCLAW_MEMORY__SEARCH__RRF_K": "2", "HOME": "/"},
    )
    search = loaded.settings.memory.search
    assert (search.decay_floor, search.min_score, search.max_results, search.rrf_k) == (0.4, 0.1, 2, 3)
    assert loaded.settings.server.port == 1234
    assert loaded.origin("memory.search.decay_floor") == Origin("default", "")
    assert loaded.origin("memory.search.min_score") == Origin("file", "config.yaml")
    assert loaded.origin("memory.search.max_results") == Origin("environment", "GOCLAW_MEMORY__SEARCH__MAX_RESULTS")
    assert loaded.origin("memory.search.rrf_k") == Origin("argument", "memory.search.rrf_k")


def test_variables_are_read_as_their_type(tmp_path: Path) -> None:
    loaded = load_settings(
        tmp_path,
        environment={
            "GOCLAW_MEMORY__WRITE_ACCESS__ROLES": "admin, lead",
            "GOCLAW_MEMORY__WRITE_ACCESS__USERS": "",
            "GOCLAW_MEMORY__SEARCH__MMR": "on",
            "GOCLAW_MEMORY__SEARCH__MIN_SIMILARITY": "-1",
            "GOCLAW_MEMORY__SEARCH__MODEL": "",
        },
    )
    memory = loaded.settings.memory
    assert memory.write_access.roles == ("admin", "lead")
    assert memory.write_access.users == ()
    assert memory.search.mmr is True
    assert memory.search.min_similarity == -1
    assert memory.search.model is None


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("memory.search.min_scor", "memory.search.min_score"),
        ("memory.serach.min_score", "memory.search.min_score"),
        ("min_score", "memory.search.min_score"),
        ("memory.min_similarity", "memory.search.min_similarity"),
        ("database.drivers", "database.driver"),
        ("memory_search_max_results", "memory.search.max_results"),
    ],
)
def test_an_unknown_key_is_named_with_its_place_and_the_nearest_right_one(
    tmp_path: Path, wrong: str, right: str
) -> None:
    assert problem(tmp_path, f"{wrong}: 1\n") == f"Unknown setting {wrong!r} in config.yaml. Did you mean {right}?"
    assert f"Unknown setting {wrong!r} in the caller's settings. Did you mean {right}?" == problem(
        tmp_path, **{wrong: 1}
    )


def test_an_unknown_variable_is_named_with_the_nearest_right_one(tmp_path: Path) -> None:
    assert problem(tmp_path, variables={"GOCLAW_MEMORY_SEARCH_MIN_SCORE": "1"}) == (
        "Unknown variable GOCLAW_MEMORY_SEARCH_MIN_SCORE. Did you mean GOCLAW_MEMORY__SEARCH__MIN_SCORE?"
    )


def test_a_key_like_no_other_is_named_without_a_guess(tmp_path: Path) -> None:
    assert (
        problem(tmp_path, "zzzzqqq: 1\n")
        == "Unknown setting 'zzzzqqq' in config.yaml. docs/settings.md lists every setting."
    )


def test_variables_that_are_no_settings_are_let_be(tmp_path: Path) -> None:
    names = ("STATE_DIR", "VAULT_PASSPHRASE", "URL", "KEY", "SOAK")
    kubernetes = ("SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", "PORT", "PORT_8787_TCP", "PORT_8787_TCP_ADDR")
    loaded = load_settings(tmp_path, environment={f"GOCLAW_{name}": "x" for name in names + kubernetes})
    assert not loaded.origins


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("memory.search.min_score: high", "memory.search.min_score from config.yaml should be a valid number"),
        ("memory.search.min_score: 1.5", "memory.search.min_score from config.yaml should be less than or equal to 1"),
        ("database.driver: oracle", "database.driver from config.yaml should be 'sqlite', 'postgres', 'mysql' or"),
        ("server.port:", "server.port from config.yaml should be a valid integer"),
        ("tools.wikijs: [{name: a, url: nowhere}]", "tools.wikijs.0.url from config.yaml needs an address"),
        ("memory.chunk.tokens: 80", "memory.chunk.overlap from config.yaml must be smaller than memory.chunk.tokens"),
    ],
)
def test_a_wrong_value_is_named_with_its_key_and_place(tmp_path: Path, config: str, expected: str) -> None:
    assert expected in problem(tmp_path, config)


def test_r017_the_refusal_names_the_variable_that_makes_chunks_too_short(tmp_path: Path) -> None:
    message = problem(tmp_path, "backup.keep_days: 3", {"GOCLAW_MEMORY__CHUNK__TOKENS": "40"})
    assert "memory.chunk.overlap from GOCLAW_MEMORY__CHUNK__TOKENS must be smaller" in message


def test_all_wrong_values_are_named_at_once(tmp_path: Path) -> None:
    message = problem(tmp_path, "backup.keep_days: x\nserver.port: y\n")
    assert "backup.keep_days" in message
    assert "server.port" in message


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("memory:\n search: [\n", "line 3 is not YAML"),
        ("just words", "is not a list of settings"),
        ("server:\n  port: 1\n  port: 2\n", "the key of line 3 stands there already"),
        ("server:\n  port: 1\nserver:\n  host: x\n", "the key of line 3 stands there already"),
        ("server:\n  port: 1\nserver.port: 2\n", "server.port stands twice in config.yaml"),
        ("server: \x07", "config.yaml cannot be understood: it is not YAML"),
    ],
)
def test_a_file_that_cannot_be_understood_is_named_with_the_line(tmp_path: Path, config: str, expected: str) -> None:
    assert expected in problem(tmp_path, config)


def test_r105_no_message_about_a_wrong_file_repeats_what_stands_in_it(tmp_path: Path) -> None:
    for config in (
        "ai:\n  gemini:\n    api_key: [canary-value\n",
        "ai.gemini.api_key: [canary-value]",
        "memory.search.base_url: https://canary-value@host",
        "memory.search.dims: canary-value",
    ):
        assert "canary" not in problem(tmp_path, config)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(tmp_path, environment={})
    (tmp_path / "config.yaml").unlink()
    (tmp_path / "config.yaml").mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(tmp_path, environment={})


def test_a_file_of_comments_and_a_missing_file_give_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none", environment={}).origins == {}
    write_config(tmp_path, "# nothing\n")
    assert load_settings(tmp_path, environment={}).origins == {}


def test_the_first_config_is_private_changes_nothing_and_is_written_once(tmp_path: Path) -> None:
    paths = load_settings(tmp_path / "state", environment={}).paths
    assert not paths.config.exists()
    assert write_first_config(paths) is True
    assert paths.config.stat().st_mode & 0o777 == 0o600
    assert paths.state_dir.stat().st_mode & 0o777 == 0o700
    assert load_settings(tmp_path / "state", environment={}).origins == {}
    paths.config.write_text("server.port: 1\n")
    assert write_first_config(paths) is False
    assert paths.config.read_text() == "server.port: 1\n"


def test_the_state_directory_is_the_one_named_then_the_variable_then_home(tmp_path: Path) -> None:
    variables = {"GOCLAW_STATE_DIR": str(tmp_path / "b")}
    assert find_state_dir(tmp_path / "a", variables) == tmp_path / "a"
    assert find_state_dir(None, variables) == tmp_path / "b"
    assert find_state_dir(None, {}) == Path.home() / ".goclaw"


def test_keys_and_variables_are_two_spellings_of_one_name() -> None:
    assert variable_of_key("memory.search.min_score") == "GOCLAW_MEMORY__SEARCH__MIN_SCORE"
    assert key_of_variable("GOCLAW_MEMORY__SEARCH__MIN_SCORE") == "memory.search.min_score"


def test_the_gateway_target_comes_from_the_environment() -> None:
    target = load_gateway_target({"GOCLAW_URL": "http://127.0.0.1:1", "GOCLAW_KEY": ""})
    assert (target.url, target.key) == ("http://127.0.0.1:1", None)


def test_what_is_in_force_hides_secrets_and_opens_no_vault(tmp_path: Path) -> None:
    loaded = load_settings(
        tmp_path, {"ai.gemini.api_key": "canary-value", "memory.search.api_key": "${secret:EMBED}"}, {}
    )
    shown = {line.key: line.value for line in loaded.in_force()}
    assert shown["ai.gemini.api_key"] == "(hidden)"
    assert shown["memory.search.api_key"] == "${secret:EMBED}"
    assert shown["database.url"] is None
    assert shown["memory.search.min_score"] == 0.35
    assert list(tmp_path.iterdir()) == []


def test_what_is_in_force_hides_the_tokens_inside_a_list(tmp_path: Path) -> None:
    sites = [{"name": "a", "url": "https://w.example", "token": "canary-value"}]
    loaded = load_settings(tmp_path, {"tools.wikijs": sites}, {})
    assert "canary" not in str(loaded.in_force())
    assert "https://w.example" in str(loaded.in_force())


def test_unlock_fills_in_secrets_wherever_they_stand(tmp_path: Path) -> None:
    overrides = {
        "database.url": "postgresql://me:${secret:PG}@db/goclaw",
        "tools.wikijs": [{"name": "a", "url": "https://w.example", "token": "${secret:WIKI}"}],
    }
    loaded = load_settings(tmp_path, overrides, {})
    vault = Vault.open(loaded.paths)
    vault.set("PG", "one")
    vault.set("WIKI", "two")
    settings = loaded.unlock()
    assert settings.database.url == "postgresql://me:one@db/goclaw"
    assert settings.tools.wikijs[0].token == "two"
    assert loaded.settings.database.url == overrides["database.url"]


def test_unlock_without_a_reference_opens_no_vault(tmp_path: Path) -> None:
    loaded = load_settings(tmp_path, {}, {})
    loaded.paths.credentials.mkdir()
    loaded.paths.secrets.write_bytes(b"not a vault")
    assert loaded.unlock() is loaded.settings


def test_unlock_names_a_secret_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(SecretsError, match="no secret 'NONE'"):
        load_settings(tmp_path, {"memory.search.api_key": "${secret:NONE}"}, {}).unlock()


def test_r105_a_secret_that_makes_a_setting_wrong_is_not_shown(tmp_path: Path) -> None:
    loaded = load_settings(tmp_path, {"memory.search.base_url": "https://host/${secret:PATH_KEY}"}, {})
    Vault.open(loaded.paths).set("PATH_KEY", "?canary-value")
    with pytest.raises(SettingsError) as caught:
        loaded.unlock()
    assert "canary" not in str(caught.value)
    assert caught.value.__context__ is None


def test_the_passphrase_of_the_environment_opens_the_vault(tmp_path: Path) -> None:
    variables = {"GOCLAW_VAULT_PASSPHRASE": "open sesame"}
    loaded = load_settings(tmp_path, {"memory.search.api_key": "${secret:EMBED}"}, variables)
    loaded.open_vault().set("EMBED", "value")
    assert not loaded.paths.vault_key.exists()
    assert loaded.unlock().memory.search.api_key == "value"
    assert "sesame" not in repr(loaded)
