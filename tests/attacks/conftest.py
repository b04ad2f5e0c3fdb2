from tests.api.conftest import alice_api, bob_api, furniture, reset_throttling, uploads  # noqa: F401 - fixtures
