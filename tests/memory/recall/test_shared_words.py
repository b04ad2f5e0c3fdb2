import pytest

from memory.recall.shared_words import shared_words


@pytest.mark.parametrize(
    ("question", "text", "shared"),
    [
        (
            "When do I feed my rye starter?",
            "I was feeding the starters of RYE.",
            ("feed", "rye", "starter"),
        ),
        ("我的妻子叫什么名字？", "我住在上海，我的妻子叫王敏。", ("妻子叫",)),
        ("Где живёт моя сестра?", "Моя сестра жила в Новосибирске", ("сестра",)),
        ("What did I say about 🦦?", "My lucky sign is 🦦🎷", ("🦦",)),
        ("東京のホテルはどこ", "東京でホテルを予約した", ("東京", "ホテル")),
        ("Is C++ in my node.js project?", "c++ and node.js", ("C++", "node.js")),
        ("Rye, rye and RYE?", "rye", ("Rye",)),
        ("What did I do?", "What did I do?", ()),
        ("bread", "", ()),
        ("", "bread", ()),
        ("?!…", "?!…", ()),
    ],
)
def test_words_are_given_as_they_stand_in_the_question(question, text, shared):
    assert shared_words(question, text) == shared


def test_nothing_is_given_that_the_question_does_not_hold():
    question = "Wo wohnt Anna-Lena O’Neil (32)?"
    found = shared_words(question, "Anna-Lena O'Neil wohnt in der Burgstraße 32.")
    assert found
    assert all(word in question for word in found)
