"""Consolidation: a plan is shown, applied exactly as shown, and can be undone."""
