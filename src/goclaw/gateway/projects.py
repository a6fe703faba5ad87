"""Projects: who belongs to which project and channel. Every change leaves a row in the audit log.

A person's key without projects of its own opens those of its person, so a change here counts from the next request on.
A channel without a row here is open to the members of its project; one with a row, to its own members alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from goclaw.gateway.people import command_line
from goclaw.governance.audit import EventType, event
from goclaw.model.clock import Clock
from goclaw.model.errors import AccessDenied, Conflict, NotFound
from goclaw.model.principal import Principal, canonical_id
from goclaw.storage import audit_log, channels, principals, projects
from goclaw.storage.channels import Channel
from goclaw.storage.database import Database, Reader, Unit
from goclaw.storage.projects import Project


@dataclass(frozen=True, slots=True)
class Projects:
    """The projects and channels of a store. Changed by administrators by own hand, and from the machine itself."""

    database: Database
    clock: Clock

    def add(self, by: Principal, workspace_id: str, project_id: str, *, name: str | None = None) -> Project:
        """Register a project. Raises Conflict where it is registered, InvalidInput for a name in no plain form."""
        _require_administrator(by, workspace_id)
        project = Project(
            workspace_id=canonical_id(workspace_id, "workspace_id"),
            project_id=canonical_id(project_id, "project_id"),
            name=name or project_id,
            created_at=self.clock.now(),
        )

        def work(unit: Unit) -> None:
            if not projects.add(unit, project):
                raise Conflict("This project is registered already.", "See goclaw projects list.")
            self._audit(unit, by, workspace_id, "project_added", project=project_id)

        self.database.write(work)
        return project

    def list(self, workspace_id: str) -> Sequence[Project]:
        """The workspace's projects, by id."""
        with self.database.read() as reader:
            return projects.page(reader, workspace_id)

    def members(self, workspace_id: str, project_id: str) -> Sequence[str]:
        """User ids. Raises NotFound."""
        with self.database.read() as reader:
            _require_project(reader, workspace_id, project_id)
            return projects.members(reader, workspace_id, project_id)

    def add_member(self, by: Principal, workspace_id: str, project_id: str, user_id: str) -> None:
        """Let a person in; twice is no error. Raises NotFound for an unknown project or person."""
        _require_administrator(by, workspace_id)

        def work(unit: Unit) -> None:
            _require_project(unit, workspace_id, project_id)
            _require_person(unit, workspace_id, user_id)
            if projects.add_member(unit, workspace_id, project_id, user_id, self.clock.now()):
                self._audit(unit, by, workspace_id, "project_member_added", project=project_id, user=user_id)

        self.database.write(work)

    def remove_member(self, by: Principal, workspace_id: str, project_id: str, user_id: str) -> None:
        """Let a person out, from the next request on. Raises NotFound where they are no member."""
        _require_administrator(by, workspace_id)

        def work(unit: Unit) -> None:
            if not projects.remove_member(unit, workspace_id, project_id, user_id):
                raise NotFound("They are no member of this project.", "See goclaw projects members.")
            self._audit(unit, by, workspace_id, "project_member_removed", project=project_id, user=user_id)

        self.database.write(work)

    def add_channel(
        self, by: Principal, workspace_id: str, channel_id: str, *, project_id: str | None = None, kind: str = ""
    ) -> Channel:
        """Give a channel members of its own; nobody is one yet. Raises Conflict, NotFound, InvalidInput."""
        _require_administrator(by, workspace_id)
        channel = Channel(
            workspace_id=canonical_id(workspace_id, "workspace_id"),
            channel_id=canonical_id(channel_id, "channel_id"),
            project_id=project_id or "",
            kind=kind,
            created_at=self.clock.now(),
        )

        def work(unit: Unit) -> None:
            if project_id is not None:
                _require_project(unit, workspace_id, project_id)
            if not channels.add(unit, channel):
                raise Conflict("This channel is registered already.", "See goclaw channels list.")
            self._audit(unit, by, workspace_id, "channel_added", channel=channel_id)

        self.database.write(work)
        return channel

    def channels(self, workspace_id: str) -> Sequence[Channel]:
        """The workspace's channels with members of their own, by id."""
        with self.database.read() as reader:
            return channels.page(reader, workspace_id)

    def channel_members(self, workspace_id: str, channel_id: str) -> Sequence[str]:
        """User ids. Raises NotFound."""
        with self.database.read() as reader:
            _require_channel(reader, workspace_id, channel_id)
            return channels.members(reader, workspace_id, channel_id)

    def add_channel_member(self, by: Principal, workspace_id: str, channel_id: str, user_id: str) -> None:
        """Let a person into a channel; twice is no error. Raises NotFound for an unknown channel or person."""
        _require_administrator(by, workspace_id)

        def work(unit: Unit) -> None:
            _require_channel(unit, workspace_id, channel_id)
            _require_person(unit, workspace_id, user_id)
            if channels.add_member(unit, workspace_id, channel_id, user_id):
                self._audit(unit, by, workspace_id, "channel_member_added", channel=channel_id, user=user_id)

        self.database.write(work)

    def remove_channel_member(self, by: Principal, workspace_id: str, channel_id: str, user_id: str) -> None:
        """Let a person out of a channel, from the next request on. Raises NotFound where they are no member."""
        _require_administrator(by, workspace_id)

        def work(unit: Unit) -> None:
            if not channels.remove_member(unit, workspace_id, channel_id, user_id):
                raise NotFound("They are no member of this channel.", "See goclaw channels members.")
            self._audit(unit, by, workspace_id, "channel_member_removed", channel=channel_id, user=user_id)

        self.database.write(work)

    def _audit(self, unit: Unit, by: Principal, workspace_id: str, what: str, **names: str) -> None:
        detail = {"what": what, "workspace": workspace_id, **names}
        audit_log.append(unit, event(by, EventType.ACCESS_CHANGED, self.clock.now(), detail=detail))


def _require_administrator(by: Principal, workspace_id: str) -> None:
    administers = by.may_administer and by.workspace_id == workspace_id
    if not administers and by != command_line(by.workspace_id):
        raise AccessDenied("Projects and channels are for administrators.", "Ask one to do it by their own hand.")


def _require_project(reader: Reader, workspace_id: str, project_id: str) -> None:
    if projects.get(reader, workspace_id, project_id) is None:
        raise NotFound("There is no such project in this workspace.", "Add it first: goclaw projects add.")


def _require_channel(reader: Reader, workspace_id: str, channel_id: str) -> None:
    if all(each.channel_id != channel_id for each in channels.page(reader, workspace_id)):
        raise NotFound("There is no such channel in this workspace.", "Add it first: goclaw channels add.")


def _require_person(reader: Reader, workspace_id: str, user_id: str) -> None:
    if principals.find_person(reader, workspace_id, user_id) is None:
        raise NotFound("There is no such person in this workspace.", "Add them first: goclaw people add.")
