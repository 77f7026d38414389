"""A small encoder as judge, which predicts grades without explaining them."""

from saiten.judges.encoder.judge import EncoderJudge

__all__ = ["EncoderJudge"]
