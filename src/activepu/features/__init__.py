"""A table with columns of every kind becomes numbers, and a classifier learns to read it."""

from activepu.features.table import TableFeatures

__all__ = ["TableFeatures"]
