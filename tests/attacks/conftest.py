from tests.api.conftest import alice_api, bob_api, furniture, reset_throttling  # noqa: F401 - fixtures
from tests.attacks.test_pages import objects  # noqa: F401 - a fixture
