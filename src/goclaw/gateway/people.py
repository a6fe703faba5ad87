"""People: who belongs to a workspace and in which roles. Every change leaves a row in the audit log."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goclaw.governance.audit import EventType, event
from goclaw.model.clock import Clock
from goclaw.model.errors import Conflict, InvalidInput, NotFound
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
        language: str | None = None,
    ) -> Person:
        """Register a person; ``language`` is the one they want to be answered in.

        Raises Conflict where they are registered, InvalidInput for a name in no plain form.
        """
        checked = Principal(user_id, roles=tuple(roles), workspace_id=workspace_id)
        person = Person(
            workspace_id=workspace_id,
            user_id=user_id,
            display_name=display_name or user_id,
            roles=checked.roles,
            created_at=self.clock.now(),
            language=_checked_language(language),
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

    def set_language(self, by: Principal, workspace_id: str, user_id: str, language: str | None) -> Person:
        """Answer a person in this language from now on; None: in the one they write."""
        wanted = _checked_language(language)
        return self.database.write(lambda unit: self._set_language(unit, by, workspace_id, user_id, wanted))

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

    def _set_language(self, unit: Unit, by: Principal, workspace_id: str, user_id: str, language: str | None) -> Person:
        if not principals.set_language(unit, workspace_id, user_id, language):
            raise NotFound("There is no such person in this workspace.", "See goclaw people list.")
        person = principals.find_person(unit, workspace_id, user_id)
        assert person is not None
        self._audit(unit, by, person, "language_changed")
        return person

    def _audit(self, unit: Unit, by: Principal, person: Person, what: str) -> None:
        detail = {
            "what": what,
            "user": person.user_id,
            "roles": list(person.roles),
            "workspace": person.workspace_id,
        }
        audit_log.append(unit, event(by, EventType.ACCESS_CHANGED, self.clock.now(), detail=detail))


def _checked_language(language: str | None) -> str | None:
    """A name or a tag such as ``German`` or ``pt-BR``: it goes into prompts, so it is no sentence."""
    if language is not None and not re.fullmatch(r"[^\W\d_]{2,30}(?:[ -][\w]{1,20}){0,3}", language):
        raise InvalidInput("The language is no name of one.", "Write German, pt-BR or the like.")
    return language
