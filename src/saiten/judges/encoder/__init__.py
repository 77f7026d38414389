"""A small encoder as judge: predicts grades itself, and writes no word."""

from saiten.judges.encoder.judge import EncoderJudge

__all__ = ["EncoderJudge"]
