"""Revision 0005: chunks know their structure, and short ones may have a vector for each word."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("memory_chunks", sa.Column("structure", sa.LargeBinary))
    op.create_table(
        "chunk_token_vectors",
        sa.Column("slot", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("model_no", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("tokens", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
