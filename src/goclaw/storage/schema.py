"""Every table of the store, once. Engines create them from here; migrations lead older stores to the same shape.

Columns are integers, text and bytes (two are floating-point numbers), so that rows go to every driver as plain tuples.
Nothing is left to the database: no server-side default, no trigger, no id of its own making. Times are microseconds
since 1970 in UTC. A table belongs to a workspace by its own column or by its namespace.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import CreateIndex, CreateTable

from goclaw.model.errors import SchemaTooNew, StoreError

# Every step of the schema, oldest first; each is a file in migrations/versions. The last one is what this module says.
REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006")
HEAD = REVISIONS[-1]

METADATA = MetaData()
# On SQLite only a column of type INTEGER is the table's own (clustered) key.
ROW_KEY = BigInteger().with_variant(Integer, "sqlite")

ALEMBIC_VERSION = Table("alembic_version", METADATA, Column("version_num", Text, primary_key=True))

DB_META = Table("db_meta", METADATA, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))

# Numbers that only grow: ids of namespaces, numbers of embedding models.
COUNTERS = Table(
    "counters", METADATA, Column("name", Text, primary_key=True), Column("value", BigInteger, nullable=False)
)

NAMESPACES = Table(
    "namespaces",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),  # below 2^31
    Column("workspace_id", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("owner_user_id", Text, nullable=False),  # '' where not bound
    Column("project_id", Text, nullable=False),
    Column("channel_id", Text, nullable=False),
    Column("last_slot", BigInteger, nullable=False),  # slots handed out so far
    Column("changes", BigInteger, nullable=False),  # deletes and changes of rows already read by others
    # The order lets one index answer both "this namespace" and "all that this person may look into".
    UniqueConstraint("workspace_id", "owner_user_id", "project_id", "scope", "channel_id", name="uq_namespaces"),
)

NAMESPACE_CHANGES = Table(
    "namespace_changes",
    METADATA,
    Column("namespace_id", Integer, primary_key=True, autoincrement=False),
    Column("change_no", BigInteger, primary_key=True, autoincrement=False),
    Column("slot", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

MEMORIES = Table(
    "memories",
    METADATA,
    Column("id", Text, primary_key=True),  # UUIDv7
    Column("namespace_id", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("domain", Text),
    Column("content", Text, nullable=False),
    Column("summary", Text),
    Column("content_hash", Text, nullable=False),
    Column("lifecycle", Text, nullable=False),
    Column("provenance_status", Text, nullable=False),
    Column("review_status", Text, nullable=False),
    Column("restricted_from", Text),
    Column("confidence", Double),
    Column("flags", Text),  # JSON list, NULL for none
    Column("metadata", Text),  # JSON object, NULL for none
    Column("source_refs", Text),  # JSON list of objects, NULL for none
    Column("external_ref", Text),
    Column("session_id", Text),
    Column("turn", BigInteger),
    Column("speaker", Text),
    Column("occurred_at", BigInteger),
    Column("actor_id", Text, nullable=False),
    Column("actor_kind", Text, nullable=False),
    Column("agent_id", Text),
    Column("on_behalf_of", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("last_confirmed_at", BigInteger),
    Column("last_seen_at", BigInteger),
    Column("stale_after", BigInteger),
    Column("expires_at", BigInteger),
    Column("version", BigInteger, nullable=False),
)
Index("ix_memories_newest", MEMORIES.c.namespace_id, MEMORIES.c.created_at)
Index("ix_memories_same_content", MEMORIES.c.namespace_id, MEMORIES.c.content_hash)
_HAS_EXTERNAL_REF = MEMORIES.c.external_ref.is_not(None)
Index(
    "ix_memories_external_ref",
    MEMORIES.c.namespace_id,
    MEMORIES.c.external_ref,
    sqlite_where=_HAS_EXTERNAL_REF,
    postgresql_where=_HAS_EXTERNAL_REF,
)

MEMORY_TAGS = Table(
    "memory_tags",
    METADATA,
    Column("memory_id", Text, primary_key=True),
    Column("tag", Text, primary_key=True),
    Column("ordinal", SmallInteger, nullable=False),  # the order they were given in
    sqlite_with_rowid=False,
)

MEMORY_CHUNKS = Table(
    "memory_chunks",
    METADATA,
    Column("slot", ROW_KEY, primary_key=True, autoincrement=False),  # namespace_id << 32 | n
    Column("id", Text, nullable=False),
    Column("memory_id", Text, nullable=False),
    Column("namespace_id", Integer, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("start_off", Integer, nullable=False),
    Column("end_off", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("chunk_hash", Text, nullable=False),
    Column("terms", LargeBinary, nullable=False),
    Column("tokens_version", Integer, nullable=False),
    Column("policy", Integer, nullable=False),  # bits of model/use_policy.py
    Column("due_at", BigInteger),  # when the policy changes by itself
    Column("due_policy", Integer),  # to which bits
    Column("updated_at", BigInteger, nullable=False),
    Column("structure", LargeBinary),  # of text/structure.py; NULL in chunks of an older version
)
Index("ix_memory_chunks_memory", MEMORY_CHUNKS.c.memory_id)
_HAS_DUE = MEMORY_CHUNKS.c.due_at.is_not(None)
Index("ix_memory_chunks_due", MEMORY_CHUNKS.c.due_at, sqlite_where=_HAS_DUE, postgresql_where=_HAS_DUE)

CHUNK_VECTORS = Table(
    "chunk_vectors",
    METADATA,
    # The slot stands first: a deleted chunk's vectors of all models are found without knowing the models.
    Column("slot", BigInteger, primary_key=True, autoincrement=False),
    Column("model_no", Integer, primary_key=True, autoincrement=False),
    Column("vec", LargeBinary, nullable=False),  # float32, little-endian
)

# One vector for each word of a short chunk, where the model gives them; read for the best candidates only.
CHUNK_TOKEN_VECTORS = Table(
    "chunk_token_vectors",
    METADATA,
    Column("slot", BigInteger, primary_key=True, autoincrement=False),
    Column("model_no", Integer, primary_key=True, autoincrement=False),
    Column("tokens", LargeBinary, nullable=False),  # of embedding/token_vectors.py
    sqlite_with_rowid=False,
)

# The list of chunks that wait for their vector in the current model.
PENDING_VECTORS = Table(
    "pending_vectors",
    METADATA,
    Column("slot", ROW_KEY, primary_key=True, autoincrement=False),
    Column("refused_because", Text),  # the model service will never take it; NULL while it waits
)

INDEX_META = Table(
    "index_meta",
    METADATA,
    Column("model_no", Integer, primary_key=True, autoincrement=False),
    Column("state", Text, nullable=False),  # building, current
    Column("provider", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("provider_key", Text, nullable=False),
    Column("dims", Integer, nullable=False),
    Column("chunker_version", Integer, nullable=False),
    Column("tokens_version", Integer, nullable=False),
    Column("auto_floor", Double),
)

EMBEDDING_CACHE = Table(
    "embedding_cache",
    METADATA,
    # The hash stands early: a forgotten text's entries of all models are found by the first two columns.
    Column("workspace_id", Text, primary_key=True),
    Column("hash", Text, primary_key=True),
    Column("provider", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("provider_key", Text, primary_key=True),
    Column("input_type", Text, primary_key=True),  # query, document
    Column("embedding", LargeBinary, nullable=False),
    Column("dims", Integer, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)
Index("ix_embedding_cache_oldest", EMBEDDING_CACHE.c.updated_at)

MEMORY_JOBS = Table(
    "memory_jobs",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("dedupe_key", Text, nullable=False),
    # Kind, workspace and dedupe key while queued, else NULL: unique over queued jobs on every engine.
    Column("queued_key", Text, unique=True),
    Column("workspace_id", Text, nullable=False),
    Column("payload", Text, nullable=False),  # JSON, ids and numbers only
    Column("priority", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("max_attempts", Integer, nullable=False),
    Column("run_after", BigInteger, nullable=False),
    Column("lease_owner", Text),
    Column("lease_until", BigInteger),
    Column("last_error", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("started_at", BigInteger),
    Column("finished_at", BigInteger),
    Column("progress", Text),  # JSON, since revision 0002
)
Index("ix_memory_jobs_next", MEMORY_JOBS.c.state, MEMORY_JOBS.c.priority, MEMORY_JOBS.c.run_after)

# Schedules are the store's own, so these rows belong to no workspace.
CRON_RUNS = Table(
    "cron_runs",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("due_at", BigInteger, primary_key=True, autoincrement=False),
    Column("taken_at", BigInteger, nullable=False),
)

AUDIT_LOG = Table(
    "audit_log",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("event_type", Text, nullable=False),
    Column("workspace_id", Text, nullable=False),
    Column("actor_kind", Text, nullable=False),
    Column("actor_id", Text, nullable=False),
    Column("memory_id", Text),
    Column("trace_id", Text),
    Column("namespace_id", Integer),
    Column("detail", Text),  # JSON without stored text
    Column("at", BigInteger, nullable=False),
)
Index("ix_audit_log_newest", AUDIT_LOG.c.workspace_id, AUDIT_LOG.c.at)
Index("ix_audit_log_memory", AUDIT_LOG.c.memory_id)

PEOPLE = Table(
    "people",
    METADATA,
    Column("workspace_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("display_name", Text, nullable=False),
    Column("roles", Text, nullable=False),  # JSON list
    Column("created_at", BigInteger, nullable=False),
    Column("language", Text),  # the one they want to be answered in; NULL: as they write
)

KEYS = Table(
    "keys",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),  # human, agent, import, job
    Column("key_hash", Text, nullable=False, unique=True),
    Column("prefix", Text, nullable=False),  # the first characters, to recognise it by
    Column("workspace_id", Text, nullable=False),
    Column("user_id", Text),
    Column("agent_id", Text),
    Column("run_kind", Text, nullable=False),
    Column("project_ids", Text, nullable=False),  # JSON list
    Column("channel_ids", Text, nullable=False),  # JSON list
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    Column("last_used_at", BigInteger),
)

TOMBSTONES = Table(
    "tombstones",
    METADATA,
    Column("namespace_id", Integer, primary_key=True, autoincrement=False),
    Column("content_hash", Text, primary_key=True),
    Column("workspace_id", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

RECALL_TRACES = Table(
    "recall_traces",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("workspace_id", Text, nullable=False),
    Column("actor_id", Text, nullable=False),
    Column("principal", Text, nullable=False),  # JSON
    Column("mode", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("request", Text, nullable=False),  # JSON
    Column("returned", Text, nullable=False),  # JSON
    Column("withheld", Text, nullable=False),  # JSON
    Column("created_at", BigInteger, nullable=False),
    Column("is_private", SmallInteger),  # 1: only the asker sees its text; since revision 0003, NULL before
)

# What a client's Idempotency-Key has stored, so that a request sent twice is done once.
IDEMPOTENCY_KEYS = Table(
    "idempotency_keys",
    METADATA,
    Column("workspace_id", Text, primary_key=True),
    Column("actor_id", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("body_hash", Text, nullable=False),  # sha256 of the request
    Column("memory_ids", Text, nullable=False),  # JSON list; '' while the request has no answer yet
    Column("created_at", BigInteger, nullable=False),
)

# Since revision 0002.
Index("ix_memories_session", MEMORIES.c.namespace_id, MEMORIES.c.session_id)
Index("ix_recall_traces_newest", RECALL_TRACES.c.workspace_id, RECALL_TRACES.c.created_at)

# Since revision 0003: what governance rests on.
RECORD_LINKS = Table(
    "record_links",
    METADATA,
    Column("from_id", Text, primary_key=True),
    Column("relation", Text, primary_key=True),
    Column("to_id", Text, primary_key=True),
    Column("created_at", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
Index("ix_record_links_target", RECORD_LINKS.c.to_id)

# Where a written-back record comes from, beyond who wrote it. Records of other ways in have no row.
RECORD_ORIGINS = Table(
    "record_origins",
    METADATA,
    Column("memory_id", Text, primary_key=True),
    Column("workspace_id", Text, nullable=False),
    Column("task_id", Text),
    Column("flow_id", Text),
    Column("step_id", Text),
    Column("runtime_name", Text),
    Column("runtime_version", Text),
    Column("models", Text),  # JSON list of objects, NULL for none
    Column("recall_trace_id", Text),  # the recall this was written back after
    Column("client_hash", Text),  # the client's own content hash: kept, never trusted
    Column("artifacts", Text),  # JSON list of objects, NULL for none
    Column("channel", Text),  # JSON object, NULL for none
)
Index("ix_record_origins_task", RECORD_ORIGINS.c.workspace_id, RECORD_ORIGINS.c.task_id)
_HAS_TRACE = RECORD_ORIGINS.c.recall_trace_id.is_not(None)
Index(
    "ix_record_origins_trace",
    RECORD_ORIGINS.c.recall_trace_id,
    sqlite_where=_HAS_TRACE,
    postgresql_where=_HAS_TRACE,
)

MEMORY_REVIEWS = Table(
    "memory_reviews",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("memory_id", Text, nullable=False),
    Column("workspace_id", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("actor_kind", Text, nullable=False),
    Column("actor_id", Text, nullable=False),
    Column("before", Text, nullable=False),  # JSON object
    Column("after", Text, nullable=False),  # JSON object
    Column("notes", Text),
    Column("related_id", Text),
    Column("created_at", BigInteger, nullable=False),
)
Index("ix_memory_reviews_memory", MEMORY_REVIEWS.c.memory_id, MEMORY_REVIEWS.c.created_at)
Index("ix_memory_reviews_newest", MEMORY_REVIEWS.c.workspace_id, MEMORY_REVIEWS.c.created_at)

POLICIES = Table(
    "policies",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("workspace_id", Text, nullable=False),
    Column("kind", Text, nullable=False),  # trusted_import, promotion
    Column("project_id", Text, nullable=False),  # '' for workspace-wide memory
    Column("source", Text, nullable=False),  # an actor id
    Column("author", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("revoked_at", BigInteger),
)
Index("ix_policies_source", POLICIES.c.workspace_id, POLICIES.c.source)

PROJECTS = Table(
    "projects",
    METADATA,
    Column("workspace_id", Text, primary_key=True),
    Column("project_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

PROJECT_MEMBERS = Table(
    "project_members",
    METADATA,
    Column("workspace_id", Text, primary_key=True),
    Column("project_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("added_at", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
Index("ix_project_members_user", PROJECT_MEMBERS.c.workspace_id, PROJECT_MEMBERS.c.user_id)

# A row is a channel with members of its own; any other channel is open to the members of its project.
CHANNELS = Table(
    "channels",
    METADATA,
    Column("workspace_id", Text, primary_key=True),
    Column("channel_id", Text, primary_key=True),
    Column("project_id", Text, nullable=False),  # '' where not bound
    Column("kind", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

CHANNEL_MEMBERS = Table(
    "channel_members",
    METADATA,
    Column("workspace_id", Text, primary_key=True),
    Column("channel_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    sqlite_with_rowid=False,
)
Index("ix_channel_members_user", CHANNEL_MEMBERS.c.workspace_id, CHANNEL_MEMBERS.c.user_id)

# What administrators hold to the acceptance checklist.
WORKFLOWS = Table(
    "workflows",
    METADATA,
    Column("workspace_id", Text, primary_key=True),
    Column("runtime_name", Text, primary_key=True),
    Column("task_type", Text, primary_key=True),  # '' for every task of the runtime
    Column("require_acceptance", SmallInteger, nullable=False),
    Column("registered_by", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("accepted_by", Text),
    Column("accepted_at", BigInteger),  # NULL while it is not accepted
    sqlite_with_rowid=False,
)

# Which records a recall met, and what became of them: the way from a record back to its traces.
TRACE_ITEMS = Table(
    "trace_items",
    METADATA,
    Column("trace_id", Text, primary_key=True),
    Column("memory_id", Text, primary_key=True),
    Column("rank", Integer),  # from 1; NULL where it was withheld
    Column("withheld_why", Text),
    Column("used", SmallInteger),  # 1 used, 0 ignored; NULL while nothing was reported
    Column("ignored_reason", Text),
    sqlite_with_rowid=False,
)
Index("ix_trace_items_memory", TRACE_ITEMS.c.memory_id)

# The list of audit events that wait for their place in the chain.
UNSEALED_EVENTS = Table(
    "unsealed_events",
    METADATA,
    Column("workspace_id", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    sqlite_with_rowid=False,
)

AUDIT_SEALS = Table(
    "audit_seals",
    METADATA,
    Column("workspace_id", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),  # from 1, without gaps
    Column("event_id", Text, nullable=False, unique=True),
    Column("digest", Text, nullable=False),  # sha256 of the event
    Column("chain", Text, nullable=False),  # sha256 of the chain before and this digest
)


# Conversations. Their turns are never shortened: what the model is given begins at ``first_kept``.
SESSIONS = Table(
    "sessions",
    METADATA,
    Column("key", Text, primary_key=True),  # UUIDv7
    Column("workspace_id", Text, nullable=False),
    Column("home", Text, nullable=False),  # of model/session.py: who may see it
    Column("session_id", Text, nullable=False),  # as its users call it
    Column("agent_id", Text),
    Column("chat_kind", Text, nullable=False),
    Column("run_kind", Text, nullable=False),
    Column("channel_kind", Text),
    Column("channel_id", Text),
    Column("thread_id", Text),
    Column("participants", Text, nullable=False),  # JSON list of user ids
    Column("is_unverified", SmallInteger, nullable=False),
    Column("turns", BigInteger, nullable=False),
    Column("first_kept", BigInteger, nullable=False),
    Column("kept_chars", BigInteger, nullable=False),  # of the turns from first_kept on
    Column("extracted_to", BigInteger, nullable=False),  # facts were looked for up to this turn
    Column("summary", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("lock_owner", Text),  # who is trimming it
    Column("lock_until", BigInteger),
    UniqueConstraint("workspace_id", "home", "session_id", name="uq_sessions"),
)
Index("ix_sessions_newest", SESSIONS.c.workspace_id, SESSIONS.c.home, SESSIONS.c.updated_at)

SESSION_TURNS = Table(
    "session_turns",
    METADATA,
    Column("session_key", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("role", Text, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("user_id", Text),
    Column("content", Text, nullable=False),
    Column("channel", Text),
    Column("tool_calls", Text),  # JSON list, NULL for none
    Column("tool_call_id", Text),
    Column("is_tainted", SmallInteger, nullable=False),
    Column("recorded_by", Text, nullable=False),  # an actor id
    Column("message_id", Text),  # the sender's own id of the message: sent twice it is one turn
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("session_key", "message_id", name="uq_session_turns_message"),
)

# Each time a session was trimmed: which turns went into which file.
SESSION_ARCHIVES = Table(
    "session_archives",
    METADATA,
    Column("session_key", Text, primary_key=True),
    Column("from_turn", BigInteger, primary_key=True, autoincrement=False),
    Column("to_turn", BigInteger, nullable=False),
    Column("file", Text, nullable=False),  # its name in the workspace folder
    Column("body_sha256", Text, nullable=False),
    Column("summary", Text),  # of everything up to to_turn
    Column("needs_summary", SmallInteger, nullable=False),  # the summary is a stub: no model answered
    Column("created_at", BigInteger, nullable=False),
)


def creation_statements(dialect: Dialect) -> list[str]:
    """The statements that make an empty database one of revision :data:`HEAD`, stamp included."""
    statements = []
    for table in METADATA.sorted_tables:
        statements.append(str(CreateTable(table).compile(dialect=dialect)))
        statements.extend(
            str(CreateIndex(index).compile(dialect=dialect))
            for index in sorted(table.indexes, key=lambda index: str(index.name))
        )
    return [*statements, f"INSERT INTO {ALEMBIC_VERSION.name} (version_num) VALUES ('{HEAD}')"]  # noqa: S608


def known_revision(revision: str | None) -> str:
    """The revision a store is stamped with, if this goclaw knows it; None is a database without such a stamp.

    Raises SchemaTooNew for a revision from the future, StoreError for a database that is not ours.
    """
    if revision is None:
        raise StoreError("The database is not one of goclaw's.", "Name another one under database.path or .url.")
    if revision not in REVISIONS:
        raise SchemaTooNew(
            f"The store has schema {revision}; this goclaw knows up to {HEAD}.",
            "Install the goclaw that wrote it, or a newer one. Nothing was changed.",
        )
    return revision
