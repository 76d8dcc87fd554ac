"""Studies: labelling that survives everything."""

from activepu.studies.status import Status
from activepu.studies.storage import names_in
from activepu.studies.study import Leased, Study

__all__ = ["Leased", "Status", "Study", "names_in"]
