"""A running site, its model endpoint, and the official client."""

import openai
import pytest

from accounts.models import User
from accounts.tenancy import tenant
from tests.api.conftest import token_of
from tests.api.openai.asking import FACT
from tests.api.serving import endpoint
from tests.memory.palaces import Spot, file
from tests.openai_server import OpenAIServer


@pytest.fixture
def upstream(close_connections):
    """The endpoint that the site forwards to."""
    limits = {"first_part_timeout_s": 3.0, "stall_timeout_s": 2.0, "connect_timeout_s": 2.0}
    with OpenAIServer() as running, endpoint(running.base_url, **limits):
        yield running


@pytest.fixture
def site(upstream, running_site):
    """The URL of the site."""
    yield running_site.url
    running_site.wait_until_idle()


def client_of(site: str, user: User, *scopes: str) -> openai.OpenAI:
    """The official client, configured with only a URL and a key."""
    return openai.OpenAI(base_url=f"{site}/v1", api_key=token_of(user, *scopes), max_retries=0)


@pytest.fixture
def client(site, alice):
    """Alice's client."""
    with client_of(site, alice) as made:
        yield made


@pytest.fixture
def cat_in_memory(alice, upstream):
    """A drawer with the name of Alice's cat."""
    with tenant(alice.id):
        file(alice.id, [FACT], Spot(wing="Home", kind="topic"))
