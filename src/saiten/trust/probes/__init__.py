"""Probes of a judge: samples changed so that it is known beforehand what a sound judge does with them."""

from saiten.trust.probes.asking import probe_judge, probe_order
from saiten.trust.probes.catalog import PROBES, chosen_probes
from saiten.trust.probes.findings import LIMITS, ProbeLimits, ProbeReport, ProbeRow, probe_report
from saiten.trust.probes.order import OrderRow
from saiten.trust.probes.pairs import PREFERENCE, PreferenceMetric, Second
from saiten.trust.probes.plan import ProbePlan, ProbeTrials, Trial, make_plan
from saiten.trust.probes.probe import Change, Expectation, Field, Probe, ProbedMetric, Setting
from saiten.trust.probes.translations import load_translations

__all__ = [
    "LIMITS",
    "PREFERENCE",
    "PROBES",
    "Change",
    "Expectation",
    "Field",
    "OrderRow",
    "PreferenceMetric",
    "Probe",
    "ProbeLimits",
    "ProbePlan",
    "ProbeReport",
    "ProbeRow",
    "ProbeTrials",
    "ProbedMetric",
    "Second",
    "Setting",
    "Trial",
    "chosen_probes",
    "load_translations",
    "make_plan",
    "probe_judge",
    "probe_order",
    "probe_report",
]
