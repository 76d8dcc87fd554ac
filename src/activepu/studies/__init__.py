"""Studies: labelling that survives everything."""

from activepu.studies.deletion import Contents, contents, delete
from activepu.studies.integrity import Checked, check, repair
from activepu.studies.leased import Leased
from activepu.studies.overview import Overview, overview
from activepu.studies.status import Status
from activepu.studies.study import Study

__all__ = [
    "Checked",
    "Contents",
    "Leased",
    "Overview",
    "Status",
    "Study",
    "check",
    "contents",
    "delete",
    "overview",
    "repair",
]
