from tests.api.conftest import alices, bobs, fresh_counts, furniture, uploads  # noqa: F401 - fixtures
