"""Notices stored with a reply or a file are translated when they are shown."""

from django.utils import translation
from django.utils.translation import trans_real

from chat.replies.generation import INCOMPLETE, describe_error
from chat.replies.jobs import STOPPED
from llm.errors import NoEndpoint
from memory.templatetags.notices import translated
from transfer.importing.entries import FILE_TRUNCATED


def test_stored_notices_are_translated_whole_or_sentence_by_sentence(monkeypatch):
    known = {STOPPED: "Du hast diese Antwort angehalten.", INCOMPLETE: "Hier bricht sie ab."}
    known[FILE_TRUNCATED] = "Die Datei hört mittendrin auf. Lade sie noch einmal herunter."
    catalogue = trans_real.translation("de")
    monkeypatch.setattr(catalogue, "gettext", lambda words: known.get(words, words))
    notice = f"{STOPPED} {INCOMPLETE}"
    with translation.override("de"):
        assert translated(notice) == "Du hast diese Antwort angehalten. Hier bricht sie ab."
        assert translated(f"Unknown words. {INCOMPLETE}") == "Unknown words. Hier bricht sie ab."
        assert translated("") == ""
        assert translated(FILE_TRUNCATED) == known[FILE_TRUNCATED]
        assert describe_error(NoEndpoint()) == "No language model is connected.", "stored untranslated"
    with translation.override("en"):
        assert translated(notice) == notice
