"""The model endpoint is down for an hour: messages are still filed, and the model extracts everything once
it is back. The real sweep and jobs do the work, with a simulated clock; the endpoint is a real server that
is shut down and started again."""

import re
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import dramatiq
import pytest
from django.utils import timezone

from chat.conversations import Choices, start
from chat.mining.status import pending_work_of
from chat.models import MEMORY_ONLY
from chat.replies.jobs import send_message
from jobs.sweep import sweep
from llm import current
from llm.configuration import LlmConfiguration
from llm.embedding_models import remote_model
from llm.openai_embedder import Breaker, OpenAIEmbedder
from llm.openai_gateway import OpenAIGateway
from memory.models import Drawer, Fact, MinedWindow, Usage
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest
from memory.search.embedding_backfill import waiting as without_vectors
from tests.chat.following import write
from tests.drills.ledger import NOW, Clock
from tests.memory.mining.answers import answer, placed, stated
from tests.openai_server import Behaviour, OpenAIServer

CITIES = ("Porto", "Ghent", "Turku", "Graz", "Lyon", "Kyoto", "Cusco", "Bergen", "Siena", "Quito")
SIGNS = re.compile("|".join(CITIES))
STEP = timedelta(seconds=30)
IDLE = timedelta(minutes=5)
SLOWEST = timedelta(minutes=3)
"""Retries after 4, 20 and 60 s, each found by the next sweep, and a sweep every 30 s."""
LATEST = 6
"""Minutes until everything is extracted after the endpoint is back: one waiting window is retried soon,
and its success releases the others."""

pytestmark = pytest.mark.drill


class Endpoint(OpenAIServer):
    """Extracts the visited city from each chat, and replies to every message."""

    def behaviour_for(self, request):
        """Record the request and answer by its kind."""
        super().behaviour_for(request)
        if "response_format" not in request.body:
            return Behaviour(text="How nice.")
        prompt = request.body["messages"][-1]["content"]
        return Behaviour(text=extraction(SIGNS.search(prompt)[0]))


def extraction(city):
    visit = stated(
        kind="experience", key=f"visited_{city.casefold()}", value=city, object=city,
        statement=f"The user visited {city}.", predicate="visited", quote=f"I visited {city}",
        single_valued=False,
    )  # fmt: skip
    return answer(turns=[placed(), placed("t2")], facts=[visit])


@pytest.fixture
def clock(monkeypatch):
    """The clock of jobs, pages and rows."""
    made = Clock(NOW)
    monkeypatch.setattr(timezone, "now", made)
    return made


@pytest.fixture
def story(as_alice, clock, queued):
    """Alice's palace, with an endpoint that can be shut down."""
    running = Story(as_alice, clock, queued)
    with running.connected():
        yield running
    running.shut_down()


class Story:
    def __init__(self, user, clock, queued):
        self.user, self.clock, self.queued = user, clock, queued
        self.server, self.port = None, 0
        self.said, self.filed = {}, {}
        self.start_up()

    def connected(self):
        url = self.server.base_url
        configuration = replace(LlmConfiguration(), base_url=url, api_key="k")
        embedder = OpenAIEmbedder(
            configuration,
            remote_model("text-embedding-3-small"),
            breaker=Breaker(clock=lambda: self.clock().timestamp()),
            pause=lambda seconds: None,
        )
        return current.using(chat=OpenAIGateway(configuration), embedder=embedder)

    def start_up(self):
        self.server = Endpoint(port=self.port).__enter__()
        self.port = int(re.search(r":(\d+)/", self.server.base_url)[1])

    def shut_down(self):
        if self.server is not None:
            self.server.__exit__(None, None, None)
        self.server = None

    def say(self, city):
        """A chat of one message and its reply."""
        conversation = start(self.user.id, Choices(), self.clock())
        _, generation = send_message(conversation, f"I visited {city} with my aunt.", self.clock())
        self.said[conversation.id] = (city, self.clock())
        return write(generation, self.clock())

    def pass_time(self, minutes):
        """Sweep every 30 seconds, and run all queued jobs at once."""
        end = self.clock() + timedelta(minutes=minutes)
        while self.clock() < end:
            self.clock.now += STEP
            sweep(self.clock())
            while jobs := self.queued():
                for name, arguments in dict.fromkeys(jobs):
                    dramatiq.get_broker().get_actor(name).fn(*arguments)
            for source in Drawer.objects.values_list("source_id", flat=True):
                self.filed.setdefault(source, self.clock())

    def methods(self):
        return Counter(MinedWindow.objects.values_list("method", flat=True))


def test_mining_recovers_after_an_hour_without_the_endpoint(story):
    first, second, *rest = CITIES
    story.say(first)
    story.pass_time(minutes=8)
    assert story.methods() == {"model": 1}

    story.shut_down()
    gone = story.clock()
    reply = story.say(second)
    assert reply.model == MEMORY_ONLY
    assert "cannot be reached" in reply.content
    story.pass_time(minutes=2)
    assert pending_work_of(story.user.id).messages == 2
    story.pass_time(minutes=3.5)
    for city in rest:
        story.say(city)
        story.pass_time(minutes=6)
    story.pass_time(minutes=10)
    assert story.clock() - gone > timedelta(hours=1)
    pointers = _check_drawers_during_outage(story)

    story.start_up()
    back = story.clock()
    while story.methods()["reader"] and story.clock() - back < timedelta(hours=1):
        story.pass_time(minutes=1)
    assert story.clock() - back <= timedelta(minutes=LATEST)
    story.pass_time(minutes=5)
    _check_everything_is_extracted(story, pointers)

    assert Usage.objects.filter(source="memory_extract", cost_usd__gt=0).count() == len(CITIES)
    assert not Usage.objects.filter(at__gt=gone, at__lt=back).exists()


def _check_drawers_during_outage(story):
    """Check that every message was filed in time and is found by its words; returns the pointers."""
    delays = {city: story.filed[chat] - at for chat, (city, at) in story.said.items()}
    assert set(delays) == set(CITIES)
    assert max(delays.values()) <= IDLE + SLOWEST
    assert story.methods() == {"model": 1, "reader": len(CITIES) - 1}
    found = recall(RecallRequest(story.user.id, "When did I visit Bergen?", story.clock()))
    assert "Bergen" in found.block
    assert any("by words only" in each.words for each in found.trace.degraded)
    return {drawer.id: drawer.pointer for drawer in Drawer.objects.all()}


def _check_everything_is_extracted(story, pointers):
    """Check that the model extracted every window, and that drawers are unchanged and have vectors."""
    assert story.methods() == {"model": len(CITIES)}
    assert without_vectors(story.user.id) == 0
    assert pending_work_of(story.user.id).sentences == ()
    assert {drawer.id: drawer.pointer for drawer in Drawer.objects.all()} == pointers
    assert len(pointers) == len(CITIES) + 1  # replies that quote memory are not filed
    visited = Fact.objects.filter(mined_by="model", deleted_at=None)
    assert sorted(visited.values_list("value", flat=True)) == sorted(CITIES)
