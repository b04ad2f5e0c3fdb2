"""Forgetting: what a wish covers, what goes with it, and the proof that nothing stayed."""
