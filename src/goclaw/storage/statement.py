"""Statements: SQLAlchemy Core constructs, compiled once per dialect and then run on plain tuples.

A table file writes its statements as constructs and never sees an engine. Compiling costs a hundred microseconds,
running a compiled text costs what the driver costs, so hot paths keep their Statement as a module constant.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import BindParameter, ClauseElement, ColumnElement, Insert, LargeBinary, Table
from sqlalchemy.engine import Dialect
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

Value = TypeVar("Value")
Params = Sequence[Any]

_NEUTRAL = DefaultDialect(paramstyle="qmark")


class Plan(NamedTuple):
    """What one driver is given."""

    text: str
    arrange: Callable[[Params], Params] | None  # None: the caller's order is already the text's order


class Statement:
    """A construct with its parameters in a fixed order.

    ``names`` says in which order callers give the parameters; without it, it is the order in which they first stand in
    the text. A parameter may stand in the text twice; constants of the construct are filled in by themselves.
    """

    def __init__(self, construct: ClauseElement, *names: str) -> None:
        # inline: every value is given, so no driver need ask back for generated keys
        self._construct = construct.inline() if isinstance(construct, Insert) else construct
        self._names = names
        self.plans: dict[str, Plan] = {}  # by name of the dialect; engines look here first

    def plan(self, dialect: Dialect) -> Plan:
        """The text and the order of parameters for a dialect; compiled at the first call."""
        found = self.plans.get(dialect.name)
        if found is None:
            found = self.plans[dialect.name] = self._compile(dialect)
        return found

    def text_for(self, dialect: Dialect) -> str:
        return self.plan(dialect).text

    def _compile(self, dialect: Dialect) -> Plan:
        compiled = _compiled(self._construct, dialect)
        order = compiled.positiontup or []
        names = self._names or _parameter_names(self._construct)
        if tuple(order) == names:
            return Plan(str(compiled), None)
        place = {name: index for index, name in enumerate(names)}
        picks = [(place.get(name), compiled.binds[name].value) for name in order]

        def arrange(params: Params) -> Params:
            return tuple([constant if index is None else params[index] for index, constant in picks])

        return Plan(str(compiled), arrange)


def _compiled(construct: ClauseElement, dialect: Dialect) -> SQLCompiler:
    compiled = construct.compile(dialect=dialect)
    assert isinstance(compiled, SQLCompiler)
    return compiled


def _parameter_names(construct: ClauseElement) -> tuple[str, ...]:
    compiled = _compiled(construct, _NEUTRAL)
    return tuple(dict.fromkeys(name for name in compiled.positiontup or [] if _is_open(compiled.binds[name])))


def _is_open(bind: BindParameter[Any]) -> bool:
    return bind.value is None and bind.callable is None


class StatementFamily:
    """Statements that differ in the length of an IN list only; lengths are rounded up to powers of two."""

    def __init__(self, make: Callable[[int], ClauseElement]) -> None:
        self._make = make
        self._members: dict[int, Statement] = {}

    def of(self, count: int) -> Statement:
        """The member for ``count`` values (1 or more), which must come :func:`padded`."""
        size = padded_size(count)
        member = self._members.get(size)
        if member is None:
            member = self._members[size] = Statement(self._make(size))
        return member

    @staticmethod
    def padded(values: Sequence[Value], count: int | None = None) -> tuple[Value, ...]:
        """The values, the last one repeated up to the length of the member for ``count`` (default: their own)."""
        size = padded_size(len(values) if count is None else count)
        return (*values, *(values[-1],) * (size - len(values)))


def padded_size(count: int) -> int:
    """The next power of two."""
    return 1 << max(count - 1, 0).bit_length()


def in_portions(values: Iterable[Value], size: int = 512) -> list[list[Value]]:
    """The values in lists of at most ``size``, because drivers limit the number of parameters."""
    everything = list(values)
    return [everything[start : start + size] for start in range(0, len(everything), size)]


class InsertOrKeep(Insert):
    """INSERT that leaves a row with the same key as it is; ``Unit.run`` then answers 0."""

    inherit_cache = False


class InsertOrReplace(Insert):
    """INSERT that overwrites the columns outside the primary key where the key exists."""

    inherit_cache = False


class RawText(FunctionElement[bytes]):
    """The bytes of a text column as they lie there, for readers that must not fail on damaged ones."""

    inherit_cache = True
    type = LargeBinary()

    def __init__(self, column: ColumnElement[str | None]) -> None:
        super().__init__(column)


@compiles(RawText)
def _raw_text(element: RawText, compiler: SQLCompiler, **options: Any) -> str:
    return f"CAST({compiler.process(element.clauses, **options)} AS BLOB)"


@compiles(RawText, "postgresql")
def _raw_text_on_postgres(element: RawText, compiler: SQLCompiler, **options: Any) -> str:
    return f"convert_to({compiler.process(element.clauses, **options)}, 'UTF8')"


@compiles(InsertOrKeep)
def _insert_or_keep(element: InsertOrKeep, compiler: SQLCompiler, **options: Any) -> str:
    insert: str = compiler.visit_insert(element, **options)  # type: ignore[no-untyped-call]
    return f"{insert} ON CONFLICT DO NOTHING"


@compiles(InsertOrReplace)
def _insert_or_replace(element: InsertOrReplace, compiler: SQLCompiler, **options: Any) -> str:
    table = element.table
    assert isinstance(table, Table)
    quote = compiler.preparer.quote
    key = ", ".join(quote(column.name) for column in table.columns if column.primary_key)
    news = ", ".join(f"{quote(c.name)} = excluded.{quote(c.name)}" for c in table.columns if not c.primary_key)
    insert: str = compiler.visit_insert(element, **options)  # type: ignore[no-untyped-call]
    return f"{insert} ON CONFLICT ({key}) DO UPDATE SET {news}"
