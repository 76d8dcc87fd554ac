"""Where items come from: tables and distributions."""

from activepu.pools.base import Draws, Region, Source, everywhere
from activepu.pools.sampler import Sampler
from activepu.pools.table import Pool

__all__ = ["Draws", "Pool", "Region", "Sampler", "Source", "everywhere"]
