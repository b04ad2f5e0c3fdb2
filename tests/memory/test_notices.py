"""Notices stored with a reply or a file are translated when they are shown."""

import pytest
from django.utils import translation
from django.utils.translation import trans_real

from chat.replies.generation import INCOMPLETE, STOPPED, describe_error
from llm.errors import NoEndpoint
from memory.templatetags.notices import translated
from transfer.importing.entries import FILE_TRUNCATED


@pytest.fixture
def german(monkeypatch):
    """A German catalogue with translations of two notices."""
    known = {STOPPED: "Du hast diese Antwort angehalten.", INCOMPLETE: "Hier bricht sie ab."}
    catalogue = trans_real.translation("de")
    monkeypatch.setattr(catalogue, "gettext", lambda words: known.get(words, words))


def test_each_sentence_of_a_notice_is_translated_separately(german):
    notice = f"{STOPPED} {INCOMPLETE}"
    with translation.override("de"):
        assert translated(notice) == "Du hast diese Antwort angehalten. Hier bricht sie ab."
        assert translated(f"Unknown words. {INCOMPLETE}") == "Unknown words. Hier bricht sie ab."
        assert translated("") == ""
    with translation.override("en"):
        assert translated(notice) == notice


def test_error_notices_are_stored_untranslated(german):
    with translation.override("de"):
        assert describe_error(NoEndpoint()) == "No language model is connected."


def test_a_notice_of_two_sentences_is_translated_as_a_whole(monkeypatch):
    known = {FILE_TRUNCATED: "Die Datei hört mittendrin auf. Lade sie noch einmal herunter."}
    catalogue = trans_real.translation("de")
    monkeypatch.setattr(catalogue, "gettext", lambda words: known.get(words, words))
    with translation.override("de"):
        assert translated(FILE_TRUNCATED) == known[FILE_TRUNCATED]
