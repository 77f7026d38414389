"""Models: chats and embedders, and the layers around them (cache, retries, limits, prices, budget)."""
