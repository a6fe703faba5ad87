"""Revision 0006: conversations, their turns and archives, and the language a person is answered in."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("people", sa.Column("language", sa.Text))
    op.create_table(
        "sessions",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("home", sa.Text, nullable=False),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("agent_id", sa.Text),
        sa.Column("chat_kind", sa.Text, nullable=False),
        sa.Column("run_kind", sa.Text, nullable=False),
        sa.Column("channel_kind", sa.Text),
        sa.Column("channel_id", sa.Text),
        sa.Column("thread_id", sa.Text),
        sa.Column("participants", sa.Text, nullable=False),
        sa.Column("is_unverified", sa.SmallInteger, nullable=False),
        sa.Column("turns", sa.BigInteger, nullable=False),
        sa.Column("first_kept", sa.BigInteger, nullable=False),
        sa.Column("kept_chars", sa.BigInteger, nullable=False),
        sa.Column("extracted_to", sa.BigInteger, nullable=False),
        sa.Column("summary", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("lock_owner", sa.Text),
        sa.Column("lock_until", sa.BigInteger),
        sa.UniqueConstraint("workspace_id", "home", "session_id", name="uq_sessions"),
    )
    op.create_index("ix_sessions_newest", "sessions", ["workspace_id", "home", "updated_at"])
    op.create_table(
        "session_turns",
        sa.Column("session_key", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("speaker", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("channel", sa.Text),
        sa.Column("tool_calls", sa.Text),
        sa.Column("tool_call_id", sa.Text),
        sa.Column("is_tainted", sa.SmallInteger, nullable=False),
        sa.Column("recorded_by", sa.Text, nullable=False),
        sa.Column("message_id", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("session_key", "message_id", name="uq_session_turns_message"),
    )
    op.create_table(
        "session_archives",
        sa.Column("session_key", sa.Text, primary_key=True),
        sa.Column("from_turn", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("to_turn", sa.BigInteger, nullable=False),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("body_sha256", sa.Text, nullable=False),
        sa.Column("summary", sa.Text),
        sa.Column("needs_summary", sa.SmallInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
