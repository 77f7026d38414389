"""A small encoder as judge, which predicts grades without explaining them."""
