"""A separate site for chats, with a scripted language model."""

import pytest

from tests.browser.chat.talking import ScriptedModel
from tests.browser.site import fresh_site


@pytest.fixture(scope="package")
def chat_model():
    """The language model of the site."""
    with ScriptedModel() as chat_model:
        yield chat_model


@pytest.fixture(scope="package")
def site(chromium, chat_model, new_home, django_db_setup):
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
def clear_script(chat_model):
    """Clear the script of the model before and after each test."""
    chat_model.clear_script()
    yield
    chat_model.clear_script()
