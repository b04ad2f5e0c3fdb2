import json
import time
from dataclasses import replace

import pytest

from tests.transfer.importing.exports import FIXTURES, as_file, as_zip, turns_of
from transfer.importing import activity_pages
from transfer.importing.activity_pages import text_of
from transfer.importing.archives import DEFAULT_LIMITS, FileRefused
from transfer.importing.reading import detect, read_entries
from transfer.importing.threads import BrokenEntry, ImportedConversation

LOG = FIXTURES.parent / "gemini" / "MyActivity.json"
PAGE = FIXTURES.parent / "gemini_page" / "MyActivity.html"


def activity(title, minute, answer="<p>Yes.</p>", **more):
    given = {"header": "Приложения Gemini", "title": title, "time": f"2026-05-01T10:{minute:02}:00.000Z"}
    return {**given, "safeHtmlItem": [{"html": answer}] if answer else [], **more}


def chats_in(source):
    return [entry for entry in read_entries(source) if isinstance(entry, ImportedConversation)]


def test_activities_are_grouped_by_link_or_else_by_pauses():
    assert detect(LOG).name == "Gemini"
    shared, branched, loose, oldest = chats_in(LOG)
    assert (shared.external_id, branched.external_id) == ("a1b2c3d4e5f60718", "b1b2c3d4e5f60718")
    assert turns_of(branched)[: len(turns_of(shared))] == turns_of(shared)
    asked = "My tortoise is called Otto. What does he eat?\n[image: otto-1e98.png]\n[file: notes.pdf]"
    assert turns_of(shared) == [
        ("user", "", asked),
        ("assistant", "", "### Otto's menu\n\n- **Dandelion**\n- Clover\n\nNo fruit."),
        ("user", "", "Can it stay outside?"),
        ("assistant", "", "In summer, yes."),
        ("tool", "sources", "Tortoise care\nhttps://example.org/tortoise"),
    ]
    assert shared.messages[0].said_at.isoformat() == "2026-07-26T18:00:00.123000+00:00"
    spoken = [words for role, _, words in turns_of(loose) if role == "user"]
    assert spoken == ["I live in Plön.", "Which bus goes to Kiel?", "Thanks!"]
    assert len(oldest.messages) == 2
    broken = [entry for entry in read_entries(LOG) if isinstance(entry, BrokenEntry)]
    assert [entry.where.partition(" (")[0] for entry in broken] == [
        f"MyActivity.json entry {number}" for number in (5, 6)
    ]


def test_log_in_several_files_is_read_as_one():
    later, earlier = [activity("Prompted And Leeds?", 30)], [activity("Prompted Where is York?", 5)]
    zips = [as_zip({"Takeout/My Activity/MyActivity.json": log}) for log in (later, earlier)]
    chat, broken = read_entries((*zips, as_zip({"MyActivity.json": [*later, 7]})))
    spoken = [words for role, _, words in turns_of(chat) if role == "user"]
    assert spoken == ["Where is York?", "And Leeds?"]
    assert broken.where == "file 3, MyActivity.json entry 2"
    assert [each.external_id for each in chats_in(zips[1])] == [chat.external_id]


def test_later_export_of_the_log_keeps_all_ids():
    log = json.loads(LOG.read_text("utf-8"))
    later = [activity("Prompted More?", 59, header="Gemini Apps"), *reversed(log)]
    known = {chat.external_id: chat.messages for chat in chats_in(as_file(log))}
    grown = {chat.external_id: chat.messages for chat in chats_in(as_file(later))}
    assert known.keys() == grown.keys()
    assert [
        key for key in known if not {m.external_id for m in known[key]} <= {m.external_id for m in grown[key]}
    ] == []


def test_prefix_of_an_unknown_language_is_inferred_from_titles():
    log = [activity(f"Sinun kysymys: Onko {word}?", at) for at, word in enumerate("abcdefghij")]
    log += [activity("Sinun kysymys: Kiitos", 20, ""), activity("Palaute", 30, "")]
    (chat,) = chats_in(as_file(log))
    spoken = [words for role, _, words in turns_of(chat) if role == "user"]
    assert (spoken[0], spoken[-1]) == ("a?", "Kiitos")


def test_other_products_of_a_takeout_are_skipped():
    watched = {"header": "YouTube", "title": "Watched Gemini", "time": "2026-05-01T10:00:00Z", "products": []}
    page = PAGE.read_bytes().replace(b"Gemini Apps", b"Search")
    members = {"T/A/YouTube/MyActivity.json": [watched], "T/A/Search/a.html": page}
    with pytest.raises(FileRefused):
        detect(as_zip(members))
    together = as_zip({**members, "T/내 활동/Gemini 앱/내활동.json": [activity("Prompted Hi", 1)]})
    assert len(list(read_entries(together))) == 1


def test_html_log_gives_the_same_ids_and_times_as_json():
    bus, sums, broken = read_entries(PAGE)
    loose = chats_in(LOG)[2]
    assert {message.external_id for message in bus.messages} <= {m.external_id for m in loose.messages}
    assert turns_of(sums) == [
        ("user", "", "Is 3 < 4?\nSay why."),
        ("assistant", "", "Yes:\n\n```\n3 < 4\n  is True\n```"),
    ]
    assert sums.messages[0].said_at.isoformat() == "2026-03-03T14:25:05+00:00"
    assert broken.where == "MyActivity.html entry 3"
    assert "JSON" in broken.reason


def test_truncated_or_other_html_page_is_refused():
    data = PAGE.read_bytes()
    with pytest.raises(FileRefused, match="is cut off"):
        list(read_entries(as_file(data[:-40])))
    with pytest.raises(FileRefused, match="web page"):
        detect(as_file(b"<html><body>outer space</body></html>"))
    long = as_file(data.replace(b"Salut", b"Salut" * 1000))
    *_, large = read_entries(long, replace(DEFAULT_LIMITS, entry_bytes=2000))
    assert "larger than" in large.reason


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Mar 3, 2026, 6:25:05 PM PDT", "2026-03-03T18:25:05-07:00"),
        ("3 Mar 2026, 00:25:05 GMT+05:30", "2026-03-03T00:25:05+05:30"),
        ("12. 1. 2026 19:01:56 SEČ", "2026-01-12T19:01:56+01:00"),
        ("2024. 10. 19. 오전 12:15:07 KST", "2024-10-19T00:15:07+09:00"),
        ("26.07.2026, 15:04:05 XYZ", "2026-07-26T15:04:05+00:00"),
        ("3 avr. 2026, 06:25:05 CEST", None),
        ("Call me at 10:00:00 on 3.4.2026", None),
        ("31. 2. 2026 10:00:00 CET", None),
    ],
)
def test_times_of_html_logs_are_parsed(line, found):
    moment = activity_pages.parse_time(line)
    assert (moment.isoformat() if moment else None) == found


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>One <em>two</em></p><p>three</p>", "One *two*\n\nthree"),
        ("<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>", "1. a\n  - b\n2. c"),
        ("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a | b |\n1 | 2 |"),
        ('<a href="https://e.org/?a=1&amp;b">E</a><img alt="cat">', "[E](https://e.org/?a=1&b)[image: cat]"),
        ("<script>alert(1)</script>1 &lt; 2<!-- no --> </b>", "1 < 2 **"),
        ("a<br>b<hr>c", "a\nb\n\n---\n\nc"),
    ],
)
def test_html_becomes_markdown(markup, text):
    assert text_of(markup) == text


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        *(("", piece) for piece in ("<b> ", "<", "<a href='", "<!--", "&#", "<pre>", "<ul><li>", " \n")),
        ("<", "a"),
    ],
)
def test_hostile_html_takes_linear_time(start, piece):
    started = time.process_time()
    text_of(start + piece * 100_000)
    assert time.process_time() - started < 5
