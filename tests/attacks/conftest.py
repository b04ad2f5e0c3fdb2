from tests.api.conftest import alices, bobs, fresh_counts, furniture  # noqa: F401 - fixtures
