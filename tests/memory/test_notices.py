"""What is kept with a reply or a file is shown in the language of its reader."""

import pytest
from django.utils import translation
from django.utils.translation import trans_real

from chat.replies.generation import INCOMPLETE, STOPPED, describe_error
from llm.errors import ModelTimeout
from memory.templatetags.notices import translated
from transfer.importing.entries import FILE_TRUNCATED


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages in German that know two of the sentences."""
    known = {STOPPED: "Du hast diese Antwort angehalten.", INCOMPLETE: "Hier bricht sie ab."}
    catalogue = trans_real.translation("de")
    monkeypatch.setattr(catalogue, "gettext", lambda words: known.get(words, words))


def test_each_sentence_is_shown_in_the_language_of_the_page(german: None) -> None:
    kept = f"{STOPPED} {INCOMPLETE}"
    with translation.override("de"):
        assert translated(kept) == "Du hast diese Antwort angehalten. Hier bricht sie ab."
        assert translated(f"Unknown words. {INCOMPLETE}") == "Unknown words. Hier bricht sie ab."
        assert translated("") == ""
    with translation.override("en"):
        assert translated(kept) == kept


def test_stored_sentences_stay_in_one_language(german: None) -> None:
    with translation.override("de"):
        assert describe_error(ModelTimeout("x")) == "The language model did not answer in time."


def test_a_notice_of_two_sentences_is_translated_as_a_whole(monkeypatch):
    known = {FILE_TRUNCATED: "Die Datei hört mittendrin auf. Lade sie noch einmal herunter."}
    catalogue = trans_real.translation("de")
    monkeypatch.setattr(catalogue, "gettext", lambda words: known.get(words, words))
    with translation.override("de"):
        assert translated(FILE_TRUNCATED) == known[FILE_TRUNCATED]
