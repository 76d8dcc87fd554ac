"""Studies: labelling that survives everything."""

from activepu.studies.status import Status
from activepu.studies.study import Leased, Study, names_in

__all__ = ["Leased", "Status", "Study", "names_in"]
