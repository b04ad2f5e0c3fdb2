"""An endpoint that misbehaves on request, and what mining with it left."""

from contextlib import contextmanager
from dataclasses import replace

from llm import current
from llm.configuration import LlmConfiguration
from llm.fake_gateway import FakeEmbedder
from llm.openai_gateway import OpenAIGateway
from memory.models import ActivityEvent, MinedWindow, MiningProgress
from tests.memory.mining.answers import answer, edge, stated

WORDS = ("I live in Zürich with my cat.", "Lovely.")
GOOD = answer(facts=[stated()], relations=[edge()])


@contextmanager
def endpoint(base_url):
    configuration = replace(LlmConfiguration(), base_url=base_url, api_key="k")
    with current.using(chat=OpenAIGateway(configuration), embedder=FakeEmbedder()):
        yield


def progress(user):
    return MiningProgress.objects.get(user_id=user.id)


def event(user):
    return ActivityEvent.objects.get(user_id=user.id, kind="memory_mined")


def methods(user):
    return list(MinedWindow.objects.filter(user_id=user.id).values_list("method", flat=True))
