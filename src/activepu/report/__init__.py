"""Pictures of what a run found; drawn with Matplotlib, which is loaded only when one is asked for."""

from activepu.report.picture import Panel, picture, pictures

__all__ = ["Panel", "picture", "pictures"]
