"""A real HTTP endpoint on the loopback interface, and a gateway that talks to it."""

from dataclasses import replace

import pytest

from llm.configuration import LlmConfiguration
from llm.openai_gateway import OpenAIGateway
from tests.openai_server import OpenAIServer


@pytest.fixture
def server():
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def configuration(server):
    return replace(
        LlmConfiguration(),
        base_url=server.base_url,
        api_key="key-for-tests",
        reply_timeout_s=5.0,
        background_timeout_s=5.0,
        first_part_timeout_s=5.0,
        stall_timeout_s=1.0,
        connect_timeout_s=2.0,
    )


@pytest.fixture
def gateway(configuration):
    return OpenAIGateway(configuration)
