"""Recall over /v1 repeats no secret from memory."""

import openai
import pytest

from accounts.models import User
from accounts.tenancy import tenant
from tests.api.openai.asking import ask, sent
from tests.api.test_secrets import QUESTIONS, SENTENCES, leaked
from tests.memory.palaces import Spot, file
from tests.openai_server import Behaviour, OpenAIServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_alice")]


def test_prompts_of_v1_contain_masks_in_place_of_secrets(
    client: openai.OpenAI, upstream: OpenAIServer, alice: User
) -> None:
    with tenant(alice.id):
        file(alice.id, SENTENCES, Spot(wing="Home", kind="topic"))
    for question in QUESTIONS:
        upstream.script(Behaviour(text="Noted."))
        ask(client, question)
        assert "hidden]" in repr(sent(upstream))
        assert leaked(sent(upstream)) == set()
