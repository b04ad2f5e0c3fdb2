"""A separate site for chats, with a scripted language model."""

from collections.abc import Iterator

import pytest

from tests.browser.chat.talking import ScriptedModel
from tests.browser.conftest import NewHome
from tests.browser.site import Site, fresh_site


@pytest.fixture(scope="package")
def chat_model() -> Iterator[ScriptedModel]:
    """The language model of the site."""
    with ScriptedModel() as chat_model:
        yield chat_model


@pytest.fixture(scope="package")
def site(
    chromium: str, chat_model: ScriptedModel, new_home: NewHome, django_db_setup: None
) -> Iterator[Site]:
    """All of Palace with a model, of which ten thousand tokens cost a dollar."""
    model = {
        "OPENAI_BASE_URL": chat_model.base_url,
        "OPENAI_API_KEY": "k",
        "CHAT_MODEL": "test-model",
        "MODEL_PRICES": "test-model=100/100",
    }
    with fresh_site(new_home(), **model) as site:
        yield site


@pytest.fixture(autouse=True)
def clear_script(chat_model: ScriptedModel) -> Iterator[None]:
    """Clear the script of the model before and after each test."""
    chat_model.clear_script()
    yield
    chat_model.clear_script()
