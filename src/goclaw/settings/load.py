"""Reads the settings: defaults, then config.yaml, then GOCLAW_ variables, then the caller's; remembers who said what.

This file alone reads the environment. ``GOCLAW_MEMORY__SEARCH__MIN_SCORE`` sets ``memory.search.min_score``; variables
that are no settings are listed in :data:`OTHER_VARIABLES`. Secrets are looked up only by :meth:`LoadedSettings.unlock`.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from goclaw.model.errors import SettingsError
from goclaw.model.storable import is_storable
from goclaw.settings.config_file import read_config_file
from goclaw.settings.describe import SettingInfo, describe, describe_key, template
from goclaw.settings.nearest import nearest_key
from goclaw.settings.paths import StatePaths
from goclaw.settings.private_file import write_private_file
from goclaw.settings.secrets import Vault, fill_references, find_references
from goclaw.settings.settings import Settings

PREFIX = "GOCLAW_"
STATE_DIR = "GOCLAW_STATE_DIR"  # the state directory; ~/.goclaw when unset
VAULT_PASSPHRASE = "GOCLAW_VAULT_PASSPHRASE"  # noqa: S105  the variable's name; opens the vault instead of its key file
URL = "GOCLAW_URL"  # the gateway that commands speak to
KEY = "GOCLAW_KEY"  # the key they show it
SOAK = "GOCLAW_SOAK"  # the long tests
OTHER_VARIABLES = (STATE_DIR, VAULT_PASSPHRASE, URL, KEY, SOAK)
# Kubernetes puts these into every container beside a service that is called goclaw; nobody meant a setting.
_SERVICE_LINK = re.compile(r"GOCLAW_(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from."""

    kind: str  # default, file, environment, argument
    name: str  # "", config.yaml, the variable's name, the caller's key

    def __str__(self) -> str:
        return {"file": self.name, "environment": self.name, "argument": "the caller's settings"}.get(
            self.kind, "the defaults"
        )


DEFAULT = Origin("default", "")


@dataclass(frozen=True, slots=True)
class SettingInForce:
    """One line of ``config show``."""

    key: str
    value: object  # redacted where it is secret
    origin: Origin


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings in force, and how they came about. ``${secret:NAME}`` stands in them unresolved."""

    settings: Settings
    paths: StatePaths
    origins: Mapping[str, Origin]  # only keys that somebody set
    passphrase: str | None = field(repr=False)  # of the vault, where the environment gives one

    def origin(self, key: str) -> Origin:
        """Who set this key."""
        return self.origins.get(key, DEFAULT)

    def in_force(self) -> list[SettingInForce]:
        """Every setting with its value and origin; secrets are hidden and the vault stays closed."""
        return [SettingInForce(info.key, self._shown(info), self.origin(info.key)) for info in describe()]

    def unlock(self) -> Settings:
        """The settings with every ``${secret:NAME}`` filled in; the vault is opened only where one is used.

        Raises SecretsError when the vault cannot be opened or lacks a name.
        """
        values = self.settings.model_dump()
        if not find_references(values):
            return self.settings
        with_secrets = fill_references(values, self.open_vault())
        return _validate(with_secrets, self.origins)

    def open_vault(self) -> Vault:
        """The vault of this state directory."""
        return Vault.open(self.paths, self.passphrase)

    def _shown(self, info: SettingInfo) -> object:
        value: Any = self.settings
        for name in info.key.split("."):
            value = getattr(value, name)
        if info.is_secret and value is not None and not find_references(value):
            return "(hidden)"
        return value


@dataclass(frozen=True, slots=True)
class GatewayTarget:
    """What the environment says about the gateway that commands speak to."""

    url: str | None
    key: str | None = field(repr=False)


def load_settings(
    state_dir: Path | str | None = None,
    overrides: Mapping[str, object] | None = None,
    environment: Mapping[str, str] | None = None,
) -> LoadedSettings:
    """The settings of a state directory (``GOCLAW_STATE_DIR`` or ``~/.goclaw`` when not named).

    ``overrides`` are dotted keys over everything else; ``environment`` stands for the process's own in tests. Raises
    SettingsError, which names where the wrong key or value stands and the nearest right key. Nothing is written.
    """
    variables = os.environ if environment is None else environment
    paths = StatePaths(find_state_dir(state_dir, variables))
    values: dict[str, object] = {}
    origins: dict[str, Origin] = {}
    for key, value in read_config_file(paths.config).items():
        _take(values, origins, key, value, Origin("file", paths.config.name))
    for name, text in sorted(variables.items()):
        if name.startswith(PREFIX) and name not in OTHER_VARIABLES and not _SERVICE_LINK.fullmatch(name):
            _take(values, origins, key_of_variable(name), _read_text(text, name), Origin("environment", name))
    for key, value in (overrides or {}).items():
        _take(values, origins, key, value, Origin("argument", key))
    settings = _validate(_nest(values), origins)
    return LoadedSettings(settings, paths, MappingProxyType(origins), variables.get(VAULT_PASSPHRASE) or None)


def find_state_dir(state_dir: Path | str | None = None, environment: Mapping[str, str] | None = None) -> Path:
    """The state directory: the one named, else GOCLAW_STATE_DIR, else ``~/.goclaw``."""
    variables = os.environ if environment is None else environment
    place = state_dir or variables.get(STATE_DIR) or "~/.goclaw"
    if not isinstance(place, str | Path) or not is_storable(str(place)):
        raise SettingsError("The state directory is no path.", f"Name a folder, in the call or as {STATE_DIR}.")
    return Path(place).expanduser().absolute()


def load_gateway_target(environment: Mapping[str, str] | None = None) -> GatewayTarget:
    """GOCLAW_URL and GOCLAW_KEY."""
    variables = os.environ if environment is None else environment
    return GatewayTarget(variables.get(URL) or None, variables.get(KEY) or None)


def write_first_config(paths: StatePaths) -> bool:
    """Write the commented config.yaml of a first start, mode 0600; an existing file stays. True when written.

    A folder that is only to be read stays without. Raises SettingsError where there is none and none can be made.
    """
    try:
        return not paths.config.exists() and write_private_file(paths.config, template().encode(), keep_existing=True)
    except OSError:
        if paths.state_dir.is_dir():
            return False
        raise SettingsError("The state directory cannot be made.", "Name a folder that can be written.") from None


def variable_of_key(key: str) -> str:
    """The variable that sets a key: GOCLAW_MEMORY__SEARCH__MIN_SCORE for memory.search.min_score."""
    return PREFIX + key.replace(".", "__").upper()


def key_of_variable(name: str) -> str:
    """The key that a variable sets."""
    return name.removeprefix(PREFIX).replace("__", ".").lower()


def _take(values: dict[str, object], origins: dict[str, Origin], key: str, value: object, origin: Origin) -> None:
    if describe_key(key) is None:
        nearest = nearest_key(key, [info.key for info in describe()])
        if origin.kind == "environment":
            nearest = variable_of_key(nearest) if nearest else None
            raise SettingsError(f"Unknown variable {origin.name}.", _suggest(nearest))
        raise SettingsError(f"Unknown setting {key!r} in {origin}.", _suggest(nearest))
    values[key] = value
    origins[key] = origin


def _suggest(nearest: str | None) -> str:
    return f"Did you mean {nearest}?" if nearest else "docs/settings.md lists every setting."


def _read_text(text: str, name: str) -> object:
    """A variable's text as a value: empty is unset, a list is separated by commas."""
    info = describe_key(key_of_variable(name))
    if info is not None and info.type == "list":
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text if text.strip() else None


def _nest(values: Mapping[str, object]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for key, value in values.items():
        *sections, name = key.split(".")
        branch = tree
        for section in sections:
            branch = branch.setdefault(section, {})
        branch[name] = value
    return tree


def _validate(tree: Mapping[str, Any], origins: Mapping[str, Origin]) -> Settings:
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        problems = [_explain(problem["loc"], problem["msg"], origins) for problem in error.errors(include_input=False)]
    # Raised outside the handler: the library's error holds the values, and values may be secrets (R105).
    raise SettingsError(" ".join(problems), "docs/settings.md lists types and defaults.")


def _explain(location: tuple[int | str, ...], message: str, origins: Mapping[str, Origin]) -> str:
    key = ".".join(str(part) for part in location)
    reason = message.removeprefix("Value error, ").replace("Input should", "should")
    return f"The setting {key} from {_blame(key, origins)} {reason}."


def _blame(key: str, origins: Mapping[str, Origin]) -> Origin:
    """Who gave the wrong value: the key's own origin or its list's, else that of the neighbour it does not fit."""
    section, _, _ = key.rpartition(".")
    for near in (key, section):
        named = next((origin for each, origin in origins.items() if f"{near}.".startswith(f"{each}.")), None)
        if named is not None:
            return named
    return next((origin for each, origin in origins.items() if each.startswith(f"{section}.")), DEFAULT)
