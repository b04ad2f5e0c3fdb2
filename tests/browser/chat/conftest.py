"""A site of its own for the chats: one with a language model, which says what a test wants."""

from collections.abc import Iterator

import pytest

from tests.browser.chat.talking import Talker
from tests.browser.conftest import NewHome
from tests.browser.site import Site, fresh_site


@pytest.fixture(scope="package")
def talker() -> Iterator[Talker]:
    """The language model of the site."""
    with Talker() as talker:
        yield talker


@pytest.fixture(scope="package")
def site(chromium: str, talker: Talker, new_home: NewHome, django_db_setup: None) -> Iterator[Site]:
    """All of Palace with a model; ten thousand tokens of it cost a dollar."""
    model = {
        "OPENAI_BASE_URL": talker.base_url,
        "OPENAI_API_KEY": "k",
        "CHAT_MODEL": "test-model",
        "MODEL_PRICES": "test-model=100/100",
    }
    with fresh_site(new_home(), **model) as site:
        yield site


@pytest.fixture(autouse=True)
def nothing_left_to_say(talker: Talker) -> Iterator[None]:
    """What one test scripts is no other's."""
    talker.silence()
    yield
    talker.silence()
