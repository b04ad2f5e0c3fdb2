"""Log lines carry ids and types, never anybody's words."""

import io
import json
import logging
import sys
import threading
from collections.abc import Iterator

import pytest
import structlog
from django.http import HttpResponseNotFound
from django.test import RequestFactory
from django.utils.log import log_response

from palace.logs import log_uncaught_errors, logging_configuration

WORDS = "my sister is called Zoé"


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What goes to the log as JSON during a test."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    raising = logging.raiseExceptions
    logging_configuration(as_json=True)
    written = io.StringIO()
    for handler in root.handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(written)
    yield written
    root.handlers[:] = before
    root.setLevel(level)
    logging.raiseExceptions = raising


def entries(lines: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def break_down() -> None:
    raise ValueError(WORDS)


def test_an_exception_is_its_type_and_its_places(lines: io.StringIO) -> None:
    log = structlog.get_logger("memory.somewhere")
    try:
        break_down()
    except ValueError:
        log.exception("filing failed", window=3)
    (entry,) = entries(lines)
    assert entry["error"] == "ValueError"
    assert entry["event"] == "filing failed"
    assert entry["window"] == 3
    assert "break_down" in str(entry["places"])
    assert WORDS not in lines.getvalue()


def test_lines_of_other_packages_lose_their_values(lines: io.StringIO) -> None:
    logger = logging.getLogger("somebody.else")
    try:
        break_down()
    except ValueError as error:
        logger.exception("Could not parse %s: %r", WORDS, error)  # noqa: TRY401 - others do
    logger.warning("\n".join(("Task exception was never retrieved", WORDS)))
    first, second = entries(lines)
    assert first["event"] == "Could not parse %s: %r"
    assert first["error"] == "ValueError"
    assert second["event"] == "Task exception was never retrieved"
    assert WORDS not in lines.getvalue()


def test_a_failed_request_is_logged_by_its_route(lines: io.StringIO, rf: RequestFactory) -> None:
    request = rf.get("/memory/wings/zoé/", {"q": WORDS})
    log_response("Not Found: %s", request.path, response=HttpResponseNotFound(), request=request)
    (entry,) = entries(lines)
    assert entry["event"] == "request failed"
    assert entry["status"] == 404
    assert "zo" not in lines.getvalue().lower()


def test_a_line_that_cannot_be_formatted_is_not_printed_in_full(
    lines: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    logging.getLogger("uvicorn.error").error("%d connections", WORDS)
    captured = capsys.readouterr()
    assert WORDS not in captured.out + captured.err + lines.getvalue()


def test_the_context_is_on_every_line(lines: io.StringIO) -> None:
    with structlog.contextvars.bound_contextvars(job_id="one"):
        structlog.get_logger("palace").info("began")
        logging.getLogger("somebody.else").warning("went on")
    assert [entry["job_id"] for entry in entries(lines)] == ["one", "one"]


def test_uncaught_errors_are_logged_without_words(
    lines: io.StringIO, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    log_uncaught_errors()
    thread = threading.Thread(target=break_down)
    thread.start()
    thread.join()
    try:
        break_down()
    except ValueError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    assert [entry["error"] for entry in entries(lines)] == ["ValueError", "ValueError"]
    assert WORDS not in lines.getvalue() + capsys.readouterr().err
