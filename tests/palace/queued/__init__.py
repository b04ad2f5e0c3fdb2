"""A small app with jobs to kill, for the tests of real workers."""
