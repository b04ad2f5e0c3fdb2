"""Log lines carry ids and types, never a user's words."""

import io
import json
import logging
import sys
import threading

import psycopg
import pytest
import redis
import structlog
from django.db import OperationalError, connection
from django.http import HttpResponseNotFound
from django.utils.log import log_response
from dramatiq.errors import ConnectionClosed

from palace import health
from palace.logging import configure_logging, log_uncaught_errors
from palace.postgres.base import DatabaseNotPrepared

WORDS = "my sister is called Zoé"


@pytest.fixture
def configure():
    """Configure logging for a test; returns the stream it writes to."""
    root = logging.getLogger()
    before, level, raising = root.handlers[:], root.level, logging.raiseExceptions

    def configured(mode):
        configure_logging(mode)
        written = io.StringIO()
        for handler in root.handlers:
            if isinstance(handler, logging.StreamHandler):
                handler.setStream(written)
        return written

    yield configured
    configure_logging("json")
    root.handlers[:] = before
    root.setLevel(level)
    logging.raiseExceptions = raising


@pytest.fixture
def lines(configure):
    return configure("json")


def entries(lines):
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def raise_error():
    raise ValueError(WORDS)


def test_exceptions_are_logged_by_type_and_frames(lines):
    try:
        raise_error()
    except ValueError as error:
        structlog.get_logger("memory.somewhere").exception("filing failed", window=3)
        logging.getLogger("somebody.else").exception("Could not parse %s: %r", WORDS, error)  # noqa: TRY401
    logging.getLogger("somebody.else").warning("\n".join(("Task exception was never retrieved", WORDS)))
    ours, theirs, unretrieved = entries(lines)
    assert (ours["event"], ours["error"], ours["window"]) == ("filing failed", "ValueError", 3)
    assert "raise_error" in str(ours["places"])
    assert (theirs["event"], theirs["error"]) == ("Could not parse %s: %r", "ValueError")
    assert unretrieved["event"] == "Task exception was never retrieved"
    assert WORDS not in lines.getvalue()


def error_of(act, *given, **more):
    try:
        act(*given, **more)
    except Exception as error:  # noqa: BLE001 - whichever it is
        return error
    raise AssertionError


def test_reason_of_a_failed_connection_is_logged_without_the_password(lines):
    url = "postgresql://me:hidden-word@127.0.0.1:9/palace"
    refused = error_of(psycopg.connect, url)
    misread = error_of(psycopg.connect, url.replace("-word", "@word"))
    with pytest.raises(OperationalError) as wrapped, connection.wrap_database_errors:
        raise refused
    away = error_of(redis.Redis.from_url("redis://me:hidden-word@127.0.0.1:9/0").ping)
    logging.getLogger("psycopg.pool").warning("error connecting in %r: %s", "pool", refused)
    logging.getLogger("dramatiq").critical("connection error: %s", ConnectionClosed(away))
    for error in (wrapped.value, away, misread, OperationalError(WORDS), DatabaseNotPrepared("no tables")):
        structlog.get_logger("palace").warning("sweep failed", exc_info=error)
    reasons = [entry.get("reason", "") for entry in entries(lines)]
    for place, said in enumerate(
        ("refused", "refused", "refused", "refused", "…@127.0.0.1", "", "no tables")
    ):
        assert said in reasons[place]
    assert reasons[5] == ""
    assert "hidden" not in lines.getvalue()
    assert "word@" not in lines.getvalue()


def test_failed_requests_are_logged_by_route_but_not_wrong_hosts_and_health_checks(
    lines, rf, client, monkeypatch
):
    monkeypatch.setattr(health, "is_ready", lambda parts: False)
    monkeypatch.setattr(health, "check_parts", tuple)
    assert client.get("/readyz").status_code == 503
    assert entries(lines) == []
    request = rf.get("/memory/wings/zoé/", {"q": WORDS})
    log_response("Not Found: %s", request.path, response=HttpResponseNotFound(), request=request)
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    (entry,) = (each for each in entries(lines) if each["event"] != "request")
    assert (entry["event"], entry["status"]) == ("request failed", 404)
    for words in ("zo", "evil.example", "allowed_hosts", "error"):
        assert words not in lines.getvalue().lower()


def test_lines_that_cannot_be_formatted_are_not_printed(lines, capsys):
    logging.getLogger("uvicorn.error").error("%d connections", WORDS)
    captured = capsys.readouterr()
    assert WORDS not in captured.out + captured.err + lines.getvalue()


def test_uncaught_errors_are_logged_without_words(lines, monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    log_uncaught_errors()
    thread = threading.Thread(target=raise_error)
    thread.start()
    thread.join()
    try:
        raise_error()
    except ValueError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    assert [entry["error"] for entry in entries(lines)] == ["ValueError", "ValueError"]
    assert WORDS not in lines.getvalue() + capsys.readouterr().err


@pytest.mark.parametrize(("mode", "shown"), [("text", 1), ("debug", 2), ("json", 2)])
def test_text_logs_show_only_problems_one_line_each(configure, mode, shown):
    written = configure(mode)
    log = structlog.stdlib.get_logger("palace.requests").bind()
    log.info("request", route="healthz")
    try:
        raise_error()
    except ValueError:
        log.warning("sweep failed", exc_info=True)
    assert len(written.getvalue().splitlines()) == shown
    assert "sweep failed" in written.getvalue()
