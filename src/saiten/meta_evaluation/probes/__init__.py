"""Probes of a judge: samples changed so that it is known beforehand what a sound judge does with them."""

from saiten.meta_evaluation.probes.asking import probe_judge
from saiten.meta_evaluation.probes.catalog import PROBES, chosen_probes
from saiten.meta_evaluation.probes.plan import Plan, Series, Trial, make_plan
from saiten.meta_evaluation.probes.probe import Change, Expectation, Field, Probe, ProbedMetric
from saiten.meta_evaluation.probes.report import LIMITS, Limits, ProbeReport, ProbeRow, probe_report
from saiten.meta_evaluation.probes.translations import load_translations

__all__ = [
    "LIMITS",
    "PROBES",
    "Change",
    "Expectation",
    "Field",
    "Limits",
    "Plan",
    "Probe",
    "ProbeReport",
    "ProbeRow",
    "ProbedMetric",
    "Series",
    "Trial",
    "chosen_probes",
    "load_translations",
    "make_plan",
    "probe_judge",
    "probe_report",
]
