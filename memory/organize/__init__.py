"""Organizing the palace: names, kinds, places and marks.

Each change is recorded with what it replaced, so that it can be undone exactly; pointers never change.
Everything runs under the palace lock.
"""
