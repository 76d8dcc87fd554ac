"""The seven tables, and the database's clock.

`events` is append-only and is the state; the other tables say what is leased to whom.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles

metadata = sa.MetaData()
studies = sa.Table(
    "activepu_studies",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),  # JSON: pool, learner, seed, limits
    sa.Column("folded", sa.Text),  # the name without regard to case; null for the second of two that were made before
    sa.Column("chooser", sa.Text, nullable=False, server_default=""),  # the process that chooses the next questions
    sa.Column("chooser_until", sa.Float, nullable=False, server_default="0"),  # if it says nothing more until then
    sa.Column("choosing_after", sa.Integer),  # the last event that it knows while it chooses; null: it does not now
    sa.Column("origin", sa.Text),  # a hash of the name and the settings, with which the chain of the events begins
    sa.Column("last", sa.Integer, nullable=False, server_default="0"),  # the number of the last event
    sa.Column("head", sa.Text),  # its hash; without events the origin
    sa.Index("activepu_study_names", "folded", unique=True),
)
spellings = sa.Table(
    "activepu_spellings",  # how each expert's name was spelled first
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("folded", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
)
keys = sa.Table(
    "activepu_keys",  # changes that may be repeated without being made twice
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("change", sa.Text, nullable=False),  # a hash of what was asked for
    sa.Column("returned", sa.Text, nullable=False),  # JSON
    sa.Column("at", sa.Float, nullable=False),
)
experts = sa.Table(
    "activepu_experts",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("wants", sa.Integer, nullable=False, server_default="0"),  # how many questions they wait for
    sa.Column("wants_until", sa.Float, nullable=False, server_default="0"),
)
questions = sa.Table(
    "activepu_questions",
    metadata,
    sa.Column("sequence", sa.Integer, primary_key=True),
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("item", sa.BigInteger, nullable=False),
    sa.Column("state", sa.Text, nullable=False),  # open, answered, withdrawn, over (not answered in time)
    sa.Column("answer", sa.Integer),
    sa.Column("expert", sa.Text, nullable=False),  # who holds it, or answered it; empty: nobody
    sa.Column("token", sa.Text),  # of the lease that counts now, if there is one
    sa.Column("expires", sa.Float, nullable=False),  # of that lease; the deadline once the question was shown
    sa.Column("shown", sa.Integer, nullable=False, server_default="0"),  # 1: to the expert who holds it
    sqlite_with_rowid=False,
)
is_open = questions.c.state == sa.literal_column("'open'")
_by_expert = (questions.c.study, questions.c.expert, questions.c.sequence)
sa.Index("activepu_open_questions", *_by_expert, sqlite_where=is_open, postgresql_where=is_open)
other = questions.alias()
"""Another question of the same study about the same item: gold and overlap are asked of several experts."""
same_item = (other.c.study == questions.c.study) & (other.c.item == questions.c.item)
same_item &= other.c.sequence != questions.c.sequence
leases = sa.Table(
    "activepu_leases",  # those that are over
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("sequence", sa.Integer, primary_key=True),
    sa.Column("token", sa.Text, primary_key=True),
    sa.Column("expert", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),  # ended, skipped, undone
    sqlite_with_rowid=False,
)
of_question = (leases.c.study == questions.c.study) & (leases.c.sequence == questions.c.sequence)
events = sa.Table(
    "activepu_events",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),  # see studies.events
    sa.Column("sequence", sa.Integer),
    sa.Column("item", sa.BigInteger),
    sa.Column("expert", sa.Text),
    sa.Column("answer", sa.Integer),
    sa.Column("note", sa.Text),  # JSON: phase, position, prediction, drawn
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("after", sa.Integer),  # of an ask: the last event that was known when the question was chosen
    sa.Column("hash", sa.Text),  # of this event and the hash before it
    sqlite_with_rowid=False,
)


class Now(sa.sql.functions.FunctionElement[float]):
    """Seconds since 1970 on the database's clock."""

    type = sa.Float()
    inherit_cache = True


@compiles(Now, "sqlite")
def _sqlite_clock(element: Now, compiler: Any, **options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(Now, "postgresql")
def _postgresql_clock(element: Now, compiler: Any, **options: Any) -> str:
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)"
