"""People: who belongs to a workspace and in which roles. Every change leaves a row in the audit log."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goclaw.governance.audit import EventType, event
from goclaw.model.clock import Clock
from goclaw.model.errors import Conflict, NotFound
from goclaw.model.principal import MEMBER, Principal, RunKind
from goclaw.storage import audit_log, principals
from goclaw.storage.database import Database, Unit
from goclaw.storage.principals import Person


def command_line(workspace_id: str = "default") -> Principal:
    """Who changes keys and people from the machine itself; stands in the audit log as ``job:command-line``."""
    return Principal(None, roles=(), workspace_id=workspace_id, run_kind=RunKind.SOP, agent_id="command-line")


@dataclass(frozen=True, slots=True)
class People:
    """The people of a store."""

    database: Database
    clock: Clock

    def add(
        self,
        by: Principal,
        workspace_id: str,
        user_id: str,
        *,
        display_name: str | None = None,
        roles: Iterable[str] = (MEMBER,),
    ) -> Person:
        """Register a person. Raises Conflict where they are registered, InvalidInput for a name in no plain form."""
        checked = Principal(user_id, roles=tuple(roles), workspace_id=workspace_id)
        person = Person(
            workspace_id=workspace_id,
            user_id=user_id,
            display_name=display_name or user_id,
            roles=checked.roles,
            created_at=self.clock.now(),
        )
        self.database.write(lambda unit: self._add(unit, by, person))
        return person

    def list(self, workspace_id: str) -> Sequence[Person]:
        """Everybody of a workspace, by user id."""
        with self.database.read() as reader:
            return principals.list_people(reader, workspace_id)

    def set_roles(self, by: Principal, workspace_id: str, user_id: str, roles: Iterable[str]) -> Person:
        """Give a person these roles instead of the old ones; their keys have them from the next request on."""
        checked = Principal(user_id, roles=tuple(roles), workspace_id=workspace_id)
        return self.database.write(lambda unit: self._set_roles(unit, by, checked))

    def _add(self, unit: Unit, by: Principal, person: Person) -> None:
        if not principals.add_person(unit, person):
            raise Conflict("This person is registered already.", "Change their roles with goclaw people role.")
        self._audit(unit, by, person, "person_added")

    def _set_roles(self, unit: Unit, by: Principal, wanted: Principal) -> Person:
        assert wanted.user_id is not None
        if not principals.set_roles(unit, wanted.workspace_id, wanted.user_id, wanted.roles):
            raise NotFound("There is no such person in this workspace.", "See goclaw people list.")
        person = principals.find_person(unit, wanted.workspace_id, wanted.user_id)
        assert person is not None
        self._audit(unit, by, person, "roles_changed")
        return person

    def _audit(self, unit: Unit, by: Principal, person: Person, what: str) -> None:
        detail = {
            "what": what,
            "user": person.user_id,
            "roles": list(person.roles),
            "workspace": person.workspace_id,
        }
        audit_log.append(unit, event(by, EventType.ACCESS_CHANGED, self.clock.now(), detail=detail))
