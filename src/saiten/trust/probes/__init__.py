"""Probes of a judge: changes to samples for which a sound judge's reaction is known beforehand."""

from saiten.results.answer_order import OrderRow
from saiten.results.probe import Expectation, ProbeReport, ProbeRow
from saiten.trust.probes.asking import probe_judge, probe_order
from saiten.trust.probes.catalog import PROBES, chosen_probes
from saiten.trust.probes.pairs import PREFERENCE, PreferenceMetric, Second
from saiten.trust.probes.plan import ProbePlan, ProbeTrials, Trial, make_plan
from saiten.trust.probes.probe import Change, Field, Probe, ProbedMetric, Setting
from saiten.trust.probes.texts import load_translations
from saiten.trust.probes.verdicts import LIMITS, ProbeLimits, probe_report

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
