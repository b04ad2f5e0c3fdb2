"""Forgetting: the scope of a request, erasure with everything derived, and proof that nothing is left."""
