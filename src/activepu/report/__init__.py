"""Pictures of what a run found; Matplotlib draws them and is loaded only when one is drawn."""

from activepu.report.audits import audit_picture
from activepu.report.picture import Panel, picture, pictures

__all__ = ["Panel", "audit_picture", "picture", "pictures"]
