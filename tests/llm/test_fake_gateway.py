import asyncio

import numpy as np
import pytest

from llm.errors import ModelTimeout, ModelUnavailable
from llm.fake_gateway import BrokenReply, FakeChat, FakeEmbedder
from llm.gateway import ChatGateway, ChatRequest, Embedder
from llm.types import ChatMessage, StreamPart

HELLO = ChatRequest((ChatMessage("user", "hello there"),))


def collected(gateway: ChatGateway, arrived: list[StreamPart]) -> list[StreamPart]:
    async def collect() -> None:
        async for part in gateway.stream(HELLO):
            arrived.append(part)

    asyncio.run(collect())
    return arrived


def test_scripted_replies_come_in_order_then_the_answer_function():
    chat = FakeChat(["one"], answer=lambda request: request.messages[-1].content.upper())
    chat.script('{"a": 1}')
    assert chat.complete(HELLO).text == "one"
    assert chat.complete_json(HELLO, {}, "window").text == '{"a": 1}'
    assert chat.complete(HELLO).text == "HELLO THERE"
    assert (chat.requests, chat.schema_names) == ([HELLO] * 3, ["window"])
    with pytest.raises(LookupError):
        FakeChat().complete(HELLO)


def test_streams_word_by_word_then_the_usage_or_the_failure():
    *words, last = collected(FakeChat(["Hello  dear\nworld"]), [])
    assert "".join(part.text for part in words) == "Hello  dear\nworld"
    assert len(words) == 3
    assert last.usage.output_tokens > 0
    arrived: list[StreamPart] = []
    with pytest.raises(ModelTimeout):
        collected(FakeChat([BrokenReply("one two", ModelTimeout("stall"))]), arrived)
    assert [part.text for part in arrived] == ["one ", "two"]


def test_errors_can_be_scripted_once_or_for_good():
    chat, embedder = FakeChat([ModelTimeout("slow"), "fine"]), FakeEmbedder()
    with pytest.raises(ModelTimeout):
        chat.complete(HELLO)
    assert chat.complete(HELLO).text == "fine"
    for fake in (chat, embedder):
        fake.fail_with(ModelUnavailable("gone"))
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            collected(chat, [])
        with pytest.raises(ModelUnavailable):
            embedder.embed_query("x")
    assert (chat.reachable().state, embedder.probe().state) == ("down", "down")
    chat.fail_with(None)
    assert chat.reachable().state == "up"


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


def test_vectors_are_deterministic_and_have_unit_length():
    embedder = FakeEmbedder(dimensions=64)
    texts = ["a b c", "", "   ", "half \ud83d"]
    first, second = embedder.embed_documents(texts), embedder.embed_documents(texts)
    assert first.vectors.shape == (4, 64)
    assert first.vectors.dtype == np.float32
    np.testing.assert_array_equal(first.vectors, second.vectors)
    np.testing.assert_allclose(np.linalg.norm(first.vectors, axis=1), 1.0, atol=1e-6)
    assert embedder.embed_documents([]).vectors.shape == (0, 64)
    assert embedder.embedded == texts * 2


def test_a_question_that_quotes_a_document_passes_the_usual_floor():
    embedder: Embedder = FakeEmbedder()
    document = embedder.embed_documents(["My sister Ana moved to Lisbon"]).vectors[0]
    question = embedder.embed_query("Where did my sister Ana move?").vectors[0]
    other = embedder.embed_query("What is the boiling point of ethanol?").vectors[0]
    assert embedder.model.calibrated_question(float(document @ question)) > 0.6
    assert embedder.model.calibrated_question(float(document @ other)) < 0.6
