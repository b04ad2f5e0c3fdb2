import pytest

from tests.api.webhooks.receiver import Receiver


@pytest.fixture
def receiver(settings):
    """A webhook receiver, on a site that allows private addresses."""
    settings.WEBHOOKS_PRIVATE = True
    with Receiver() as running:
        yield running
