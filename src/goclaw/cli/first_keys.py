"""First keys: the first administrator of a new store and, for the demo, the sample team's keys. Each is shown once."""

import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from goclaw.bootstrap import Engine
from goclaw.cli.sample import PEOPLE, SamplePerson
from goclaw.gateway.keys import KeyRequest, KeyRing
from goclaw.gateway.people import People, command_line
from goclaw.model.principal import ADMIN, ActorKind
from goclaw.settings.private_file import write_private_file
from goclaw.storage import principals

WORKSPACE = "default"
FIRST_ADMINISTRATOR = SamplePerson("admin", "Administrator", (ADMIN,), ())
FIRST_KEY_FILE = "first_admin.key"


@dataclass(frozen=True, slots=True)
class ShownKey:
    """A key just made, and the file (mode 0600) it was written to."""

    user_id: str
    display_name: str
    secret: str
    file: Path


def make_first_key(engine: Engine) -> list[ShownKey]:
    """The first administrator's key; none where any key opens the store already."""
    if KeyRing(engine.database, engine.clock).exist():
        return []
    return [_make_key(engine, FIRST_ADMINISTRATOR, FIRST_KEY_FILE)]


def make_team_keys(engine: Engine) -> list[ShownKey]:
    """A key for each of the sample team; the administrator's is the first key where the store has none yet."""
    has_keys = KeyRing(engine.database, engine.clock).exist()
    made = []
    for person in PEOPLE:
        is_first = ADMIN in person.roles and not has_keys
        made.append(_make_key(engine, person, FIRST_KEY_FILE if is_first else f"demo_{person.user_id}.key"))
    return made


def command_to_type() -> str:
    """How to call this program from here: ``goclaw`` where the shell finds it, else its path."""
    called = Path(sys.argv[0])
    found = shutil.which("goclaw")
    if found is not None and Path(found).resolve() == called.resolve():
        return "goclaw"
    here = Path.cwd()
    return shlex.quote(str(called.relative_to(here) if called.is_relative_to(here) else called))


def _make_key(engine: Engine, person: SamplePerson, file_name: str) -> ShownKey:
    by = command_line(WORKSPACE)
    with engine.database.read() as reader:
        is_known = principals.find_person(reader, WORKSPACE, person.user_id) is not None
    if not is_known:
        People(engine.database, engine.clock).add(
            by, WORKSPACE, person.user_id, display_name=person.display_name, roles=person.roles
        )
    request = KeyRequest(kind=ActorKind.HUMAN, user_id=person.user_id, project_ids=person.project_ids)
    secret = KeyRing(engine.database, engine.clock).create(by, request).secret
    file = engine.loaded.paths.credentials / file_name
    write_private_file(file, f"{secret}\n".encode())
    return ShownKey(person.user_id, person.display_name, secret, file)
