"""Revision 0001: the first tables. It never changes; what came later is in the files after it."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

# On SQLite only a column of type INTEGER is the table's own (clustered) key.
ROW_KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _create_namespaces()
    _create_memories()
    _create_index()
    _create_queue_and_logs()
    _create_principals()


def _create_namespaces() -> None:
    """Where records live, and how readers notice change."""
    op.create_table(
        "namespaces",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("owner_user_id", sa.Text, nullable=False),
        sa.Column("project_id", sa.Text, nullable=False),
        sa.Column("channel_id", sa.Text, nullable=False),
        sa.Column("last_slot", sa.BigInteger, nullable=False),
        sa.Column("changes", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("workspace_id", "owner_user_id", "project_id", "scope", "channel_id", name="uq_namespaces"),
    )
    op.create_table(
        "namespace_changes",
        sa.Column("namespace_id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("change_no", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("slot", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "counters",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "db_meta",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )


def _create_memories() -> None:
    """Records."""
    op.create_table(
        "memories",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("namespace_id", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("domain", sa.Text),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("summary", sa.Text),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("lifecycle", sa.Text, nullable=False),
        sa.Column("provenance_status", sa.Text, nullable=False),
        sa.Column("review_status", sa.Text, nullable=False),
        sa.Column("restricted_from", sa.Text),
        sa.Column("confidence", sa.Double),
        sa.Column("flags", sa.Text),
        sa.Column("metadata", sa.Text),
        sa.Column("source_refs", sa.Text),
        sa.Column("external_ref", sa.Text),
        sa.Column("session_id", sa.Text),
        sa.Column("turn", sa.BigInteger),
        sa.Column("speaker", sa.Text),
        sa.Column("occurred_at", sa.BigInteger),
        sa.Column("actor_id", sa.Text, nullable=False),
        sa.Column("actor_kind", sa.Text, nullable=False),
        sa.Column("agent_id", sa.Text),
        sa.Column("on_behalf_of", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("last_confirmed_at", sa.BigInteger),
        sa.Column("last_seen_at", sa.BigInteger),
        sa.Column("stale_after", sa.BigInteger),
        sa.Column("expires_at", sa.BigInteger),
        sa.Column("version", sa.BigInteger, nullable=False),
    )
    only = sa.text("external_ref IS NOT NULL")
    op.create_index(
        "ix_memories_external_ref",
        "memories",
        ["namespace_id", "external_ref"],
        sqlite_where=only,
        postgresql_where=only,
    )
    op.create_index("ix_memories_newest", "memories", ["namespace_id", "created_at"])
    op.create_index("ix_memories_same_content", "memories", ["namespace_id", "content_hash"])
    op.create_table(
        "memory_tags",
        sa.Column("memory_id", sa.Text, primary_key=True),
        sa.Column("tag", sa.Text, primary_key=True),
        sa.Column("ordinal", sa.SmallInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tombstones",
        sa.Column("namespace_id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("content_hash", sa.Text, primary_key=True),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("workspace_id", sa.Text, primary_key=True),
        sa.Column("actor_id", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("body_hash", sa.Text, nullable=False),
        sa.Column("memory_id", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )


def _create_index() -> None:
    """What search runs on."""
    op.create_table(
        "memory_chunks",
        sa.Column("slot", ROW_KEY, primary_key=True, autoincrement=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("memory_id", sa.Text, nullable=False),
        sa.Column("namespace_id", sa.Integer, nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("start_off", sa.Integer, nullable=False),
        sa.Column("end_off", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("chunk_hash", sa.Text, nullable=False),
        sa.Column("terms", sa.LargeBinary, nullable=False),
        sa.Column("tokens_version", sa.Integer, nullable=False),
        sa.Column("policy", sa.Integer, nullable=False),
        sa.Column("due_at", sa.BigInteger),
        sa.Column("due_policy", sa.Integer),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
    )
    only = sa.text("due_at IS NOT NULL")
    op.create_index(
        "ix_memory_chunks_due",
        "memory_chunks",
        ["due_at"],
        sqlite_where=only,
        postgresql_where=only,
    )
    op.create_index("ix_memory_chunks_memory", "memory_chunks", ["memory_id"])
    op.create_table(
        "chunk_vectors",
        sa.Column("slot", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("model_no", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("vec", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "pending_vectors",
        sa.Column("slot", ROW_KEY, primary_key=True, autoincrement=False),
        sa.Column("refused_because", sa.Text),
    )
    op.create_table(
        "index_meta",
        sa.Column("model_no", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("provider_key", sa.Text, nullable=False),
        sa.Column("dims", sa.Integer, nullable=False),
        sa.Column("chunker_version", sa.Integer, nullable=False),
        sa.Column("tokens_version", sa.Integer, nullable=False),
        sa.Column("auto_floor", sa.Double),
    )
    op.create_table(
        "embedding_cache",
        sa.Column("workspace_id", sa.Text, primary_key=True),
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("provider", sa.Text, primary_key=True),
        sa.Column("model", sa.Text, primary_key=True),
        sa.Column("provider_key", sa.Text, primary_key=True),
        sa.Column("input_type", sa.Text, primary_key=True),
        sa.Column("embedding", sa.LargeBinary, nullable=False),
        sa.Column("dims", sa.Integer, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_embedding_cache_oldest", "embedding_cache", ["updated_at"])


def _create_queue_and_logs() -> None:
    """What happens in the background and what is noted down."""
    op.create_table(
        "memory_jobs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("dedupe_key", sa.Text, nullable=False),
        sa.Column("queued_key", sa.Text, unique=True),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("max_attempts", sa.Integer, nullable=False),
        sa.Column("run_after", sa.BigInteger, nullable=False),
        sa.Column("lease_owner", sa.Text),
        sa.Column("lease_until", sa.BigInteger),
        sa.Column("last_error", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("started_at", sa.BigInteger),
        sa.Column("finished_at", sa.BigInteger),
    )
    op.create_index("ix_memory_jobs_next", "memory_jobs", ["state", "priority", "run_after"])
    op.create_table(
        "cron_runs",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("due_at", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("taken_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("event_type", sa.Text, nullable=False),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("actor_kind", sa.Text, nullable=False),
        sa.Column("actor_id", sa.Text, nullable=False),
        sa.Column("memory_id", sa.Text),
        sa.Column("trace_id", sa.Text),
        sa.Column("namespace_id", sa.Integer),
        sa.Column("detail", sa.Text),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_audit_log_memory", "audit_log", ["memory_id"])
    op.create_index("ix_audit_log_newest", "audit_log", ["workspace_id", "at"])
    op.create_table(
        "recall_traces",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("actor_id", sa.Text, nullable=False),
        sa.Column("principal", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("returned", sa.Text, nullable=False),
        sa.Column("withheld", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )


def _create_principals() -> None:
    """Who is known."""
    op.create_table(
        "people",
        sa.Column("workspace_id", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, primary_key=True),
        sa.Column("display_name", sa.Text, nullable=False),
        sa.Column("roles", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "keys",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("key_hash", sa.Text, nullable=False, unique=True),
        sa.Column("prefix", sa.Text, nullable=False),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text),
        sa.Column("agent_id", sa.Text),
        sa.Column("run_kind", sa.Text, nullable=False),
        sa.Column("project_ids", sa.Text, nullable=False),
        sa.Column("channel_ids", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger),
        sa.Column("last_used_at", sa.BigInteger),
    )
