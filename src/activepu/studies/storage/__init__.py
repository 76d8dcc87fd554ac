"""Where studies are kept: the only place that knows SQL, tables and columns.

`Storage` is a database. `storage.write(study)` is one transaction that holds the study's row; `storage.read()` sees
what has been committed. What can be done in them has names of the field: `catalogue` has the studies.
"""

from activepu.studies.storage.database import Storage
from activepu.studies.storage.statements import Transaction

__all__ = ["Storage", "Transaction"]
