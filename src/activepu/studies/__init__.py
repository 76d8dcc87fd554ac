"""Studies: labelling that survives everything."""

from activepu.studies.leased import Leased
from activepu.studies.overview import Overview, overview
from activepu.studies.status import Status
from activepu.studies.study import Study

__all__ = ["Leased", "Overview", "Status", "Study", "overview"]
