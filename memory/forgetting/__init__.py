"""Forgetting: what a request covers, what goes with it, and the proof that nothing is left."""
