"""A small network as judge, which knows whether one text entails another; all else goes to the offline judge."""
