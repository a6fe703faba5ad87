"""Revision 0002: jobs say how far they are; sessions and traces are listed by index."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("memory_jobs", sa.Column("progress", sa.Text))
    op.create_index("ix_memories_session", "memories", ["namespace_id", "session_id"])
    op.create_index("ix_recall_traces_newest", "recall_traces", ["workspace_id", "created_at"])
