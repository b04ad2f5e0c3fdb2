"""A separate site for chats, with a scripted language model."""

import pytest

from tests.browser.chat.talking import ScriptedModel
from tests.browser.site import fresh_site


@pytest.fixture(scope="package")
def scripted_model():
    """The language model of the site."""
    with ScriptedModel() as model:
        yield model


@pytest.fixture(scope="package")
def site(chromium, scripted_model, new_home, django_db_setup):
    """All of Palace with a model, of which ten thousand tokens cost a dollar."""
    model = {
        "OPENAI_BASE_URL": scripted_model.base_url,
        "OPENAI_API_KEY": "k",
        "CHAT_MODEL": "test-model",
        "MODEL_PRICES": "test-model=100/100",
    }
    with fresh_site(new_home(), **model) as site:
        yield site


@pytest.fixture(autouse=True)
def chat_model(scripted_model):
    """The scripted model, with its script cleared."""
    scripted_model.clear_script()
    yield scripted_model
    scripted_model.clear_script()
