import asyncio

import pytest

from llm.errors import ModelTimeout
from llm.gateway import ChatGateway, ChatRequest
from llm.types import ChatMessage, StreamPart
from tests.fake_gateway import BrokenReply, FakeChat, FakeEmbedder

HELLO = ChatRequest((ChatMessage("user", "hello there"),))


def collected(gateway: ChatGateway, arrived: list[StreamPart]) -> list[StreamPart]:
    async def collect() -> None:
        async for part in gateway.stream(HELLO):
            arrived.append(part)

    asyncio.run(collect())
    return arrived


def test_stream_yields_words_and_then_usage_or_the_error():
    *words, last = collected(FakeChat(["Hello  dear\nworld"]), [])
    assert "".join(part.text for part in words) == "Hello  dear\nworld"
    assert len(words) == 3
    assert last.usage.output_tokens > 0
    arrived: list[StreamPart] = []
    with pytest.raises(ModelTimeout):
        collected(FakeChat([BrokenReply("one two", ModelTimeout("stall"))]), arrived)
    assert [part.text for part in arrived] == ["one ", "two"]


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("My cat sleeps on the piano", "the cat sleeps again", "Taxes are due in April"),
        ("我住在北京的老房子里", "他住在北京", "明天要下雨吗"),
        ("Моя сестра живёт в Риме", "сестра живёт далеко", "Завтра пойдёт дождь"),
        ("أختي تسكن في روما", "أختي تسكن بعيدا", "غدا ستمطر"),
        ("🎉 🚀", "🚀", "🐈"),
    ],
)
def test_texts_that_share_words_are_similar_in_any_script(text, near, far):
    vectors = FakeEmbedder().embed_documents([text, near, far]).vectors
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1
