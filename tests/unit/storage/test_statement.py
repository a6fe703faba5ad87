"""Statements give every dialect the same parameters in the order that its text wants."""

import pytest
from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import Dialect

from goclaw.storage.schema import CRON_RUNS, KEYS, MEMORY_TAGS
from goclaw.storage.statement import InsertOrKeep, InsertOrReplace, Statement, StatementFamily, in_portions, padded_size

SQLITE = SQLiteDialect_pysqlite(paramstyle="qmark")
POSTGRES = PGDialect_psycopg(paramstyle="format")
DIALECTS = pytest.mark.parametrize("dialect", [SQLITE, POSTGRES], ids=["sqlite", "postgres"])


def arranged(statement: Statement, dialect: Dialect, *params: object) -> tuple[object, ...]:
    arrange = statement.plan(dialect).arrange
    return tuple(params if arrange is None else arrange(params))


@DIALECTS
def test_an_insert_takes_the_columns_in_the_tables_order(dialect: Dialect) -> None:
    statement = Statement(MEMORY_TAGS.insert())
    assert statement.plan(dialect).arrange is None
    assert "RETURNING" not in statement.text_for(dialect)


@DIALECTS
def test_constants_are_filled_in_and_repeated_parameters_given_once(dialect: Dialect) -> None:
    which = bindparam("which")
    statement = Statement(select(KEYS.c.id).where(KEYS.c.id == which, KEYS.c.kind == "agent", KEYS.c.prefix == which))
    assert arranged(statement, dialect, "k1") == ("k1", "agent", "k1")


@DIALECTS
def test_names_fix_the_order_for_every_dialect(dialect: Dialect) -> None:
    update = KEYS.update().where(KEYS.c.id == bindparam("which")).values(prefix=bindparam("fresh"))
    statement = Statement(update, "which", "fresh")
    assert arranged(statement, dialect, "k1", "gc_") == ("gc_", "k1")


@DIALECTS
def test_a_plan_is_made_once(dialect: Dialect) -> None:
    statement = Statement(select(KEYS.c.id))
    assert statement.plan(dialect) is statement.plan(dialect)


@DIALECTS
def test_what_becomes_of_a_row_that_exists(dialect: Dialect) -> None:
    assert Statement(InsertOrKeep(CRON_RUNS)).text_for(dialect).endswith("ON CONFLICT DO NOTHING")
    replacing = Statement(InsertOrReplace(CRON_RUNS)).text_for(dialect)
    assert replacing.endswith("ON CONFLICT (name, due_at) DO UPDATE SET taken_at = excluded.taken_at")


def test_a_family_rounds_up_and_keeps_its_members() -> None:
    made: list[int] = []

    def make(size: int) -> object:
        made.append(size)
        return select(KEYS.c.id).where(KEYS.c.id.in_([bindparam(f"id_{n}") for n in range(size)]))

    family = StatementFamily(make)  # type: ignore[arg-type]
    assert family.of(3) is family.of(4)
    assert family.of(1) is not family.of(2)
    assert made == [4, 1, 2]
    assert family.of(3).text_for(SQLITE).count("?") == 4


def test_padding_repeats_the_last_value() -> None:
    assert StatementFamily.padded(["a", "b", "c"]) == ("a", "b", "c", "c")
    assert StatementFamily.padded(["a"]) == ("a",)
    assert StatementFamily.padded(["a", "b"], 5) == ("a", "b", *"bbbbbb")
    assert [padded_size(count) for count in (1, 2, 3, 4, 5, 512, 513)] == [1, 2, 4, 4, 8, 512, 1024]


def test_portions() -> None:
    assert in_portions(range(5), 2) == [[0, 1], [2, 3], [4]]
    assert in_portions([]) == []
