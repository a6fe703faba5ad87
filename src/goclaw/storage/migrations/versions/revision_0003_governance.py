"""Revision 0003: links, origins, reviews, policies, projects, channels, the items of traces, and the audit chain."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_PORTION = 1_000  # rows that are held in memory at once


def upgrade() -> None:
    _create_records()
    _create_people()
    _create_logs()
    _list_trace_items()
    _list_unsealed_events()
    _let_keys_answer_with_several_records()


def _create_records() -> None:
    """What is known of a record beside its own row."""
    op.create_table(
        "record_links",
        sa.Column("from_id", sa.Text, primary_key=True),
        sa.Column("relation", sa.Text, primary_key=True),
        sa.Column("to_id", sa.Text, primary_key=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_record_links_target", "record_links", ["to_id"])
    op.create_table(
        "record_origins",
        sa.Column("memory_id", sa.Text, primary_key=True),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("task_id", sa.Text),
        sa.Column("flow_id", sa.Text),
        sa.Column("step_id", sa.Text),
        sa.Column("runtime_name", sa.Text),
        sa.Column("runtime_version", sa.Text),
        sa.Column("models", sa.Text),
        sa.Column("recall_trace_id", sa.Text),
        sa.Column("client_hash", sa.Text),
        sa.Column("artifacts", sa.Text),
        sa.Column("channel", sa.Text),
    )
    op.create_index("ix_record_origins_task", "record_origins", ["workspace_id", "task_id"])
    only = sa.text("recall_trace_id IS NOT NULL")
    op.create_index(
        "ix_record_origins_trace", "record_origins", ["recall_trace_id"], sqlite_where=only, postgresql_where=only
    )
    op.create_table(
        "memory_reviews",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("memory_id", sa.Text, nullable=False),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("actor_kind", sa.Text, nullable=False),
        sa.Column("actor_id", sa.Text, nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("after", sa.Text, nullable=False),
        sa.Column("notes", sa.Text),
        sa.Column("related_id", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_memory_reviews_memory", "memory_reviews", ["memory_id", "created_at"])
    op.create_index("ix_memory_reviews_newest", "memory_reviews", ["workspace_id", "created_at"])


def _create_people() -> None:
    """Who belongs where, and whom a workspace trusts."""
    op.create_table(
        "policies",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("project_id", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger),
        sa.Column("revoked_at", sa.BigInteger),
    )
    op.create_index("ix_policies_source", "policies", ["workspace_id", "source"])
    op.create_table(
        "projects",
        sa.Column("workspace_id", sa.Text, primary_key=True),
        sa.Column("project_id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "project_members",
        sa.Column("workspace_id", sa.Text, primary_key=True),
        sa.Column("project_id", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, primary_key=True),
        sa.Column("added_at", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_project_members_user", "project_members", ["workspace_id", "user_id"])
    op.create_table(
        "channels",
        sa.Column("workspace_id", sa.Text, primary_key=True),
        sa.Column("channel_id", sa.Text, primary_key=True),
        sa.Column("project_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "channel_members",
        sa.Column("workspace_id", sa.Text, primary_key=True),
        sa.Column("channel_id", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, primary_key=True),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_channel_members_user", "channel_members", ["workspace_id", "user_id"])


def _create_logs() -> None:
    """What traces met, and the chain over the audit log."""
    op.add_column("recall_traces", sa.Column("is_private", sa.SmallInteger))
    op.create_table(
        "trace_items",
        sa.Column("trace_id", sa.Text, primary_key=True),
        sa.Column("memory_id", sa.Text, primary_key=True),
        sa.Column("rank", sa.Integer),
        sa.Column("withheld_why", sa.Text),
        sa.Column("used", sa.SmallInteger),
        sa.Column("ignored_reason", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_trace_items_memory", "trace_items", ["memory_id"])
    op.create_table(
        "unsealed_events",
        sa.Column("workspace_id", sa.Text, primary_key=True),
        sa.Column("event_id", sa.Text, primary_key=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "audit_seals",
        sa.Column("workspace_id", sa.Text, primary_key=True),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("event_id", sa.Text, nullable=False, unique=True),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("chain", sa.Text, nullable=False),
    )


def _list_trace_items() -> None:
    """Forgetting finds traces by their items only, so the traces of before get theirs."""
    traces = sa.table("recall_traces", sa.column("id"), sa.column("returned"), sa.column("withheld"))
    items = sa.table("trace_items", *(sa.column(name) for name in ("trace_id", "memory_id", "rank", "withheld_why")))
    bind = op.get_bind()
    last = ""
    while rows := bind.execute(sa.select(traces).where(traces.c.id > last).order_by(traces.c.id).limit(_PORTION)).all():
        found = [item for row in rows for item in _items_of(*row)]
        if found:
            bind.execute(items.insert(), found)
        last = rows[-1].id


def _items_of(trace_id: str, returned: str, withheld: str) -> list[dict[str, str | int | None]]:
    items: dict[str, dict[str, str | int | None]] = {}
    for rank, hit in enumerate(json.loads(returned), start=1):
        items.setdefault(hit["memory_id"], {"rank": rank, "withheld_why": None})
    for each in json.loads(withheld):
        items.setdefault(each["memory_id"], {"rank": None, "withheld_why": each["why"]})
    return [{"trace_id": trace_id, "memory_id": memory_id, **item} for memory_id, item in items.items()]


def _list_unsealed_events() -> None:
    """No event of before is in the chain yet."""
    op.execute("INSERT INTO unsealed_events (workspace_id, event_id) SELECT workspace_id, id FROM audit_log")


def _let_keys_answer_with_several_records() -> None:
    op.execute("ALTER TABLE idempotency_keys RENAME COLUMN memory_id TO memory_ids")
    op.execute("UPDATE idempotency_keys SET memory_ids = '[\"' || memory_ids || '\"]' WHERE memory_ids != ''")
