"""A long chat in few words."""

from chat.replies.compaction import MOST, Turn, condensed


def me(words: str) -> Turn:
    return Turn(True, words)


def it(words: str) -> Turn:
    return Turn(False, words)


def test_sentences_are_sorted_by_what_they_are_for() -> None:
    state = condensed({}, [me("I bake rye bread. How long does it rise?"), it("Twelve hours. Or so.")])
    assert state == {
        "told": ["I bake rye bread."],
        "asked": ["How long does it rise?"],
        "answered": ["Twelve hours."],
    }


def test_a_state_goes_on_and_says_nothing_twice() -> None:
    first = condensed({}, [me("I bake rye bread."), it("Good.")])
    state = condensed(first, [me("I bake rye bread. It is for Anna."), it("For her, then.")])
    assert state["told"] == ["I bake rye bread.", "It is for Anna."]
    assert state["answered"] == ["Good.", "For her, then."]


def test_the_first_and_the_newest_stay() -> None:
    state = condensed({}, [me(f"Fact number {number}.") for number in range(100)])
    assert len(state["told"]) == MOST["told"]
    assert state["told"][:3] == ["Fact number 0.", "Fact number 1.", "Fact number 2."]
    assert state["told"][-1] == "Fact number 99."


def test_any_script_and_no_code_and_no_marks() -> None:
    state = condensed(
        {},
        [
            me("我住在柏林。你知道吗？"),
            it("```python\nsecret = 1\n```\n# Да\n\nЭто **хорошо**."),
            me("هل أنت هنا؟"),
            me("```\nnever closed"),
            me("🎻"),
        ],
    )
    assert state["told"] == ["我住在柏林。"]
    assert state["asked"] == ["你知道吗？", "هل أنت هنا؟"]
    assert state["answered"] == ["Да"]


def test_a_long_sentence_is_cut() -> None:
    (sentence,) = condensed({}, [me("word " * 500)])["told"]
    assert len(sentence) <= 240
    assert sentence.endswith(" …")
