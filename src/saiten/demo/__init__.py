"""Built-in samples in both languages whose defects are known by construction, and metrics held against them."""

from saiten.demo.check import DefectRow, KindFigure, hold_against_defects
from saiten.demo.defects import DEFECTS, Defect
from saiten.demo.samples import DemoSample, load_demo

__all__ = ["DEFECTS", "Defect", "DefectRow", "DemoSample", "KindFigure", "hold_against_defects", "load_demo"]
