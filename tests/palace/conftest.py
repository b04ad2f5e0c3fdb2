from tests.api.conftest import furniture  # noqa: F401 - a fixture
from tests.attacks.test_pages import objects  # noqa: F401 - a fixture
from tests.transfer.restoring.conftest import archive  # noqa: F401 - a fixture
