"""The kinds of networks by their names."""

from collections.abc import Callable, Mapping

from saiten.choices import HeadName
from saiten.tuning.judge.head import Head
from saiten.tuning.judge.lora import ChatHead
from saiten.tuning.judge.regression import RegressionHead

HEADS: Mapping[HeadName, Callable[[], Head]] = {"chat": ChatHead, "regression": RegressionHead}
