"""The database engine of the tests."""
