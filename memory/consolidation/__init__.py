"""Tidying up a memory: a plan is shown, applied exactly as it was shown, and can be undone."""
