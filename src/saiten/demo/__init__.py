"""Built-in samples in both languages whose defects are known by construction, and the tour that shows them."""

from saiten.demo.samples import DEFECTS, Defect, DemoSample, load_demo

__all__ = ["DEFECTS", "Defect", "DemoSample", "load_demo"]
