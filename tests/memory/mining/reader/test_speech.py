"""Shapes of text that are not the writer's own."""

import pytest

from memory.mining.reader.speech import begins_own_role, own_words, pasted_spans, role_play_spans
from memory.mining.screening import screen
from memory.text.sentences import overlaps_any
from tests.cases import json_cases
from tests.memory.mining.chats import chat, extract, turn

CLAIM = "I live in Porto"
FOREIGN = {
    "code": f"Why does this fail?\n```python\n# {CLAIM}\nprint(1)\n```\nThanks",
    "unclosed code": f"Look:\n~~~\n{CLAIM}",
    "quoted mail": f"What do I answer?\n> Hello,\n> {CLAIM}.\n> Bye",
    "mail with its head": f"From: Joe\nTo: me\nSubject: Rates\n\nHello,\n{CLAIM}.\n",
    "letter": f"Is this fine?\n\nDear Mrs Okafor,\n{CLAIM} and would like to apply.\nKind regards\nJo\n",
    "letter in a sentence": f"Fix it?\nDear Ms Hill, {CLAIM}.\nKind regards, Jo Doe\nNot mine.",
    "chat log": f"[12:03] Ann: {CLAIM}\n[12:04] Bob: Nice\n[12:05] Ann: Bye",
    "messenger export": f"12/03/24, 09:15 - A: {CLAIM}\n12/03/24, 09:16 - Bob: ok\n12/03/24, 09:17 - A: bye",
    "transcript": f"Ann Lee: {CLAIM}.\nBob Ray: Really?\nAnn Lee: Yes.",
    "reviews": f'COTTAGE A "Kittiwake": {CLAIM} and loved it.\nCOTTAGE B "Gull": Too many stairs.',
    "subtitles": f"00:00:01,000 --> 00:00:02,000\n> {CLAIM}",
    "html": f"<p>About me</p>\n<p>{CLAIM}</p>",
    "table": f"| name | text |\n| Ann | {CLAIM} |",
    "tabs": f"Ann\t34\t{CLAIM}\tyes",
    "log": f"2024-03-02 12:00:01 INFO user said {CLAIM}",
    "text to translate": f"Translate this:\n{CLAIM}.",
    "text to correct": f"Bitte korrigiere das:\n{CLAIM}.",
    "memory block": f"<memory_context>\n{CLAIM}\n</memory_context>\nWhich bank is near?",
    "long quotation": f"She wrote “{CLAIM} and my sister, who keeps bees, lives two streets on”. Sweet!",
}
OWN = {
    "beside a list of names": f'Dog "Rex": 5 yrs. {CLAIM}.\nCat "Mia": 3 yrs. {CLAIM}.',
    "plain": f"{CLAIM}, can you help?",
    "with a note": f"Help me plan a party.\nPS: {CLAIM}.",
    "beside code": f"{CLAIM}.\n```\nx = 1\n```\nand you?",
    "after a mail": f"> Hello\n> Bye\n\n{CLAIM}, so what do I answer?",
    "to the assistant": f"Hi Claude,\n{CLAIM} and need a plumber.",
    "with many commas": f"Bread, milk, eggs, tea, salt: {CLAIM}, so the corner shop will do.",
    "between two titles": f'I read "The Plague", {CLAIM} and I am going to read a play next, "Tea".',
    "a short title": f'{CLAIM}. I just read "The Plague".',
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_other_peoples_text_is_recognised_by_its_shape(content):
    start = content.index(CLAIM)
    assert overlaps_any((start, start + len(CLAIM)), pasted_spans(content))
    assert CLAIM not in own_words(content)
    assert len(own_words(content)) == len(content)


@pytest.mark.parametrize("content", OWN.values(), ids=OWN)
def test_the_users_own_words_are_kept(content):
    assert CLAIM in own_words(content)


def test_role_play_is_recognised():
    played = ("You are a pirate.", "Act as my lawyer.", "Du bist ein Arzt aus Wien.", "你是一名导游")
    for said in (*played, "Write a short diary of a lighthouse keeper"):
        assert role_play_spans(said) == [(0, len(said))]
    assert role_play_spans("You are Marta, a nurse from Porto. Stay in character.") == []
    begun = "Another one: pretend I'm Sandra, I have three kids."
    assert begins_own_role('The gangway is wet. "Frayne," I say. "From Madeira."')
    reported = ('When people ask "where are you from?" I say Lisbon.', '老板问我"你住哪里？"我说住在成都')
    assert not any(map(begins_own_role, reported))
    assert role_play_spans(begun) == [(begun.index(" pretend"), len(begun))]


def test_overlaps_with_ranges():
    ranges = [(5, 10), (20, 30)]
    overlapping = [at for at in (4, 5, 9, 10, 19, 20, 29, 30) if overlaps_any((at, at + 1), ranges)]
    assert overlapping == [5, 9, 20, 29]
    assert not overlaps_any((1, 2), [])


def test_at_most_two_shapes_of_foreign_text_become_facts_without_review():
    shapes = json_cases(__file__, "foreign.jsonl")
    assert len(shapes) == 60
    turns = [turn(each["text"], sequence=number) for number, each in enumerate(shapes)]
    found = [fact for fact in extract(chat(*turns)).facts if not screen(fact).review_reason]
    unreviewed = {fact.message_id for fact in found}
    assert len(unreviewed) <= 2, [fact.statement for fact in found]


def test_chinese_clauses_between_plain_commas_are_no_table():
    clauses = "爸走了三个月了,我妈一个人在株洲老家,叫她来长沙跟我住她不肯,我又是独生女,怎么劝她"
    assert (pasted_spans(clauses), pasted_spans("张三,25,北京,工程师,已婚")) == ([], [(0, 15)])
