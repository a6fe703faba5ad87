"""Scene: for whom, where and when a context is put together; all that its sections are decided by."""

from collections.abc import Sequence
from dataclasses import dataclass

from goclaw.context.listeners import Listeners
from goclaw.model.namespace import NamespaceState
from goclaw.model.principal import Principal
from goclaw.model.scope import Scope
from goclaw.model.session import Channel, ChatKind, Session
from goclaw.storage.principals import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One turn, before anything is shown."""

    principal: Principal
    person: Person | None  # as registered; None: the name is the id
    session: Session | None  # None: it has not begun
    session_id: str
    message: str
    channel: Channel | None
    chat_kind: ChatKind
    listeners: Listeners
    shared: Sequence[NamespaceState]  # of nobody in particular, for everybody who listens
    personal: Sequence[NamespaceState]  # the speaker's own
    now: int  # microseconds since 1970

    @property
    def agent_id(self) -> str | None:
        """Whose folder of files it is; None: the default agent's."""
        return self.principal.own_agent_id or (self.session.agent_id if self.session else None)

    @property
    def speaker_name(self) -> str:
        """What the speaker is called."""
        if self.person is not None and self.person.display_name:
            return self.person.display_name
        return self.principal.person_id or "unknown"

    def shared_of(self, scope: Scope) -> list[NamespaceState]:
        """The shared namespaces of one scope."""
        return [state for state in self.shared if state.namespace.scope is scope]
