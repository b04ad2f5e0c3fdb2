import re

from memory.consolidation.summaries import SENTENCES, extract


def test_sentences_that_the_others_share_are_chosen_word_for_word_and_in_order():
    texts = [
        "Good morning. My rye starter smells of apples.",
        "I feed the rye starter every morning. Thanks!",
        "Yesterday the starter doubled after feeding rye flour.",
        "By the way, my bus was late.",
    ]
    found = extract(texts)
    assert "rye starter" in found
    assert "bus" not in found
    chosen = [piece for text in texts for piece in text.split(". ") if piece.rstrip(".") in found]
    assert chosen
    assert [found.index(piece.rstrip(".")) for piece in chosen] == sorted(
        found.index(piece.rstrip(".")) for piece in chosen
    )


def test_any_script_is_read():
    for text in (
        "我住在上海。我在上海的医院工作。上海的春天很美。今天下雨。",
        "Я живу в Москве. В Москве работает моя сестра. Москва зимой красива.",
        "أنا أعيش في القاهرة. القاهرة مدينة كبيرة جدا. أحب شوارع القاهرة القديمة.",
    ):
        found = extract([text])
        assert found
        assert all(piece in text for piece in re.split(r"(?<=[.。])\s", found))


def test_questions_code_and_endless_sentences_are_left_out():
    texts = [
        "What does the lighthouse keeper do?",
        "```\nlighthouse keeper lighthouse keeper lamp\n```",
        "lighthouse keeper " * 60,
        "The lighthouse keeper trims the lamp.",
    ]
    assert extract(texts) == "The lighthouse keeper trims the lamp."


def test_an_extract_is_short_without_repetitions_and_may_be_empty():
    texts = ["The harbour ferry leaves at nine.", "The harbour ferry leaves at nine!"]
    assert extract(texts).count("ferry") == 1
    texts = [f"Boat number{n} sails from harbour{n} to island{n}." for n in range(40)]
    assert extract(texts).count("sails") <= SENTENCES
    for texts in ([], [""], ["ok", "👍", "…"]):
        assert extract(texts) == ""
