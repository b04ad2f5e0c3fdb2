import pytest

from memory.mining.rules.sentences import contexts, sentences


def stated(text: str) -> list[str]:
    return [part.text[: part.stated].strip(" ,") for part in sentences(text) if part.stated]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "can you draft a note to my boss, I've got the dentist on Monday",
            "I've got the dentist on Monday",
        ),
        ("what should I eat, I'm diabetic?", "I'm diabetic"),
        ("type 1, off to Oslo on Friday, insulation hacks?", "type 1, off to Oslo on Friday"),
        ("I'm a nurse. Which shoes?", "I'm a nurse."),
    ],
)
def test_what_is_stated_around_a_question_is_found(text, expected):
    assert stated(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "what would you do if it rained, I'm diabetic?",
        'can you write "sorry, I\'m ill" in French?',
        "do I live in Rome, my wife says?",
    ],
)
def test_what_is_only_supposed_or_to_be_written_is_not(text):
    assert stated(text) == []


def test_a_statement_after_a_question_keeps_its_place():
    text = "how long do I boil eggs, I like them soft? we're vegans"
    for part in sentences(text):
        assert text[part.start : part.start + len(part.text)] == part.text


def test_each_sentence_is_read_with_the_one_before_it_questions_too():
    text = "I like soup.\nKnow any recipes? I've tried two so far!"
    found = [(part.text, text[part.start : part.start + part.stated]) for part in contexts(text)]
    assert found == [
        ("I like soup.",) * 2,
        ("I like soup.\nKnow any recipes?",) * 2,
        ("Know any recipes? I've tried two so far!",) * 2,
    ]


def test_a_full_stop_before_another_script_ends_a_sentence():
    assert stated("Always answer in English.번역하기") == ["Always answer in English.", "번역하기"]
    assert stated("我住在北京.我是医生") == ["我住在北京.", "我是医生"]
    for whole in ("我用Node.js写脚本", "我喜欢…爬山", "1.姓名王明 2.职业医生"):
        assert stated(whole) == [whole]
