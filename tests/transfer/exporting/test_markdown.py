import pytest
from hypothesis import given
from hypothesis import strategies as st

from transfer.exporting.markdown import fenced, plain


@given(st.text(st.characters(exclude_characters="\r"), max_size=60))
def test_fence_is_longer_than_any_in_the_text(text):
    opening = fenced(text).split("\n")[0]
    fence = opening.removesuffix("text")
    assert set(fence) == {"`"}
    assert fence not in text
    assert fenced(text).removeprefix(opening + "\n") == f"{text}\n{fence}\n"


@pytest.mark.parametrize(
    "text", ["<img src=x onerror=alert(1)>", "![a](http://b/c.png)", "[x](javascript:alert(1))", "a\n# b"]
)
def test_names_are_escaped(text):
    shown = plain(text)
    assert "\n" not in shown
    assert "<" not in shown
    assert "](" not in shown
