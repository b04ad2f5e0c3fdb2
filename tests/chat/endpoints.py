"""A connected endpoint."""

from contextlib import contextmanager
from dataclasses import replace

from llm import current
from llm.configuration import LlmConfiguration
from llm.openai_gateway import OpenAIGateway
from tests.fake_gateway import FakeEmbedder


@contextmanager
def endpoint(base_url):
    configuration = replace(LlmConfiguration(), base_url=base_url, api_key="k")
    with current.using(chat=OpenAIGateway(configuration), embedder=FakeEmbedder()):
        yield
