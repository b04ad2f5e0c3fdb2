from collections.abc import Iterator

import pytest

from tests.api.webhooks.receiver import Receiver


@pytest.fixture
def receiver(settings) -> Iterator[Receiver]:
    """A webhook receiver, on a site that allows private addresses."""
    settings.WEBHOOKS_PRIVATE = True
    with Receiver() as running:
        yield running
