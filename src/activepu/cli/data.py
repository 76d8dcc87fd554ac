"""Results as data, for `--json`. The keys are described in docs/shell.md and stay."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from activepu.records import StopReason
from activepu.result import Result
from activepu.studies import Status


def of_result(result: Result) -> dict[str, Any]:
    """Return what a run found; what it does not speak of is null."""
    stated = [] if not audited(result) else [each.to_dict() for each in result.statements()]
    return {
        "rule": str(result.hypothesis),
        "certificate": result.certificate.to_dict(),
        "population": None if result.population is None else result.population.to_dict(),
        "rate": None if result.rate is None else result.rate.to_dict(),
        "rates": None if result.rates is None else {str(name): each.to_dict() for name, each in result.rates.items()},
        "prior": None if result.prior is None else result.prior.to_dict(),
        "estimates": None if result.estimates is None else result.estimates.to_dict(),
        "statements": stated,
        "cuts": [asdict(cut) for cut in result.findings.cuts] if audited(result) else [],
        "questions": result.n_queries,
        "checks": result.n_checks,
        "revealed": result.n_revealed,
        "stopped": result.stop_reason,
    }


def audited(result: Result) -> bool:
    """Whether the result is that of an audit."""
    return result._findings is not None


def interrupted(result: Result) -> bool:
    """Whether Ctrl-C ended the run."""
    return result.stop_reason == str(StopReason.INTERRUPTED)


def of_status(status: Status) -> dict[str, Any]:
    """Return where a study is."""
    stated = [] if status.findings is None else [each.to_dict() for each in status.findings.statements]
    kept = {name: value for name, value in vars(status).items() if name not in ("findings", "targets", "name")}
    if status.epsilon >= 1:  # a model or an audit aims at no error of a rule
        kept |= {"epsilon": None, "error_bound": None}
    aims = {target.kind: target.value for target in status.targets}
    return {"study": status.name, **kept, "targets": aims, "statements": stated}
