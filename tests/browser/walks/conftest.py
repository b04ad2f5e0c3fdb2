"""Whoever walks through the flows: once by keys alone, once by finger on a phone 360 pixels wide."""

from collections.abc import Callable, Iterator

import pytest

from tests.browser.conftest import Arrive
from tests.browser.walks.hands import Fingers, Keys
from tests.browser.walks.walker import Walker

HANDS = {"keyboard": Keys, "phone": Fingers}
Come = Callable[[], Walker]
Settle = Callable[[str], Walker]


@pytest.fixture(scope="module", params=sorted(HANDS))
def come(request: pytest.FixtureRequest, arrive: Arrive) -> Iterator[Come]:
    """Lets somebody come who has no account yet. In the end no page may have complained."""
    hand = HANDS[request.param]()
    walkers: list[Walker] = []

    def newcomer() -> Walker:
        walkers.append(Walker(arrive(**hand.options), hand))
        return walkers[-1]

    yield newcomer
    for walker in walkers:
        assert walker.visitor.complaints == []


@pytest.fixture(scope="module")
def settle(come: Come) -> Settle:
    """Lets somebody of a name sign up; nobody else of the site may have it."""

    def sign_up(name: str) -> Walker:
        walker = come()
        walker.settle(name)
        return walker

    return sign_up
