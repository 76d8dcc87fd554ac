"""Where studies are kept: the only place that knows SQL, tables and columns.

A `Storage` is a database. `storage.write(study)` is a `Transaction` that holds the study's row, and
`storage.read(study)` a `Reading` that sees what has been committed. What can be done with them is named in the words of
a study:

    catalogue  the studies of a database: add, find, delete
    events     what happened: append, since; each has a hash (chain)
    choosing   which process chooses the next questions: begin, end, want
    leases     who has which question: held, queue, lend, answer, close
    experts    who takes part: join, leave, skips, last_move
    counts     how many of everything, for a status or a list
    inventory  all rows, to be compared with the events: read, write
    keys       changes that may be sent again

Below them are `tables`, `statements`, `migrations`, `database` with its connections (`sqlite`, `postgresql`) and
`addresses`, and what users read of it: `failures`, `redaction`.
"""

from activepu.studies.storage.database import Storage
from activepu.studies.storage.statements import Reading, Transaction

__all__ = ["Reading", "Storage", "Transaction"]
