"""A small app with jobs for the tests of real workers."""
