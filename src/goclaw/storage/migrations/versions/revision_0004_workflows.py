"""Revision 0004: workflows that administrators registered, and whether each is accepted."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "workflows",
        sa.Column("workspace_id", sa.Text, primary_key=True),
        sa.Column("runtime_name", sa.Text, primary_key=True),
        sa.Column("task_type", sa.Text, primary_key=True),
        sa.Column("require_acceptance", sa.SmallInteger, nullable=False),
        sa.Column("registered_by", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("accepted_by", sa.Text),
        sa.Column("accepted_at", sa.BigInteger),
        sqlite_with_rowid=False,
    )
