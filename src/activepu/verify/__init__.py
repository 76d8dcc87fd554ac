"""A second, plain implementation of what an audit states, to check a saved one; it shares no code with `audit`."""

from activepu.verify.checking import Check, verify

__all__ = ["Check", "verify"]
