"""Structured logs with request and job ids, and never a user's words.

An exception is logged as its type and the frames it passed through. Its message is left out because
databases and parsers quote the values they choked on; so are the values in other packages' log lines. Only
why a connection failed is logged, as the `reason`.
"""

import logging
import logging.config
import re
import sys
import threading
import traceback
from functools import partial
from types import TracebackType
from typing import Any, Literal

import psycopg
import redis
import structlog
from django.db.utils import OperationalError
from dramatiq.errors import BrokerConnectionError
from structlog.typing import EventDict, Processor, WrappedLogger

LogMode = Literal["text", "debug", "json"]
SAFE_LOGGERS = ("uvicorn.error",)  # logs addresses and process ids only
FRAMES = {"text": 1, "debug": 8, "json": 8}
LEVELS = {
    "django.security.DisallowedHost": "CRITICAL",  # scanners guess hosts
    "httpx": "WARNING",
    "openai": "WARNING",
    "mcp": "WARNING",
    "uvicorn.access": "WARNING",
    "uvicorn.error": "WARNING",
    "dramatiq": "WARNING",
    "dramatiq.worker.WorkerThread": "ERROR",  # it warns of every message that waits for its turn
    "dramatiq_postgres": "WARNING",
}

OF_CONNECTION = (OperationalError, psycopg.OperationalError, BrokerConnectionError)
OF_REDIS = (redis.ConnectionError, redis.TimeoutError)
STARTS = (
    "connection ",
    "consuming input failed",
    "couldn't get a connection",
    "failed to resolve host",
    "Multiple connection attempts failed",
    "server closed the connection",
    "terminating connection",
    "the connection is ",
)
# A password that contains `@` and is not encoded in the URL ends up in the name of the host.
BEFORE_HOST = re.compile(r"[^\s'\"]*@")
MAX_REASON_LENGTH = 500


def configure_logging(mode: LogMode) -> dict[str, Any]:
    """Set up logging to standard error and return the `dictConfig`.

    `text` shows warnings and errors only, one line each; `debug` adds a line for each request and job;
    `json` is the same for machines.
    """
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared(mode),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    configuration = _configuration(mode)
    logging.config.dictConfig(configuration)
    logging.raiseExceptions = False  # would print a line that cannot be formatted in full
    return configuration


def log_uncaught_errors() -> None:
    """Log what ends this process or one of its threads, instead of printing it with its message."""
    log = structlog.get_logger("palace")

    def process(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.critical("process ended", exc_info=(kind, error, trace))

    def thread(arguments: threading.ExceptHookArgs) -> None:
        log.error("thread ended", exc_info=arguments.exc_value)

    sys.excepthook = process
    threading.excepthook = thread


def _shared(mode: LogMode) -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        partial(_without_message, FRAMES[mode]),
    ]


def _configuration(mode: LogMode) -> dict[str, Any]:
    as_json = mode == "json"
    renderer: Processor = (
        structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=False)
    )
    levels = {**LEVELS, "django.request": "ERROR" if mode == "text" else "WARNING"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
                "foreign_pre_chain": [*_shared(mode), _without_values],
                "pass_foreign_args": True,
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": "WARNING" if mode == "text" else "INFO"},
        "loggers": {name: {"level": level} for name, level in levels.items()},
    }


def _without_message(frames: int, _: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Replace an exception by its type and its last frames."""
    information = event.pop("exc_info", None)
    if information is True:
        information = sys.exc_info()
    error = information[1] if isinstance(information, tuple) else information
    if isinstance(error, BaseException):
        event["error"] = type(error).__qualname__
        _add_reason(event, error)
        trace = traceback.extract_tb(error.__traceback__)[-frames:]
        event["places"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in trace]
    event.pop("stack_info", None)
    return event


def _add_reason(event: EventDict, error: BaseException) -> None:
    if reason := reason_of(error):
        event["reason"] = reason


def _without_values(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Show the pattern of another package's log line, not the values in it."""
    record: logging.LogRecord = event["_record"]
    values = event.pop("positional_args", ())
    if record.name in SAFE_LOGGERS:
        return event
    event["event"] = str(record.msg).partition("\n")[0]
    for value in values or ():
        if isinstance(value, BaseException):
            _add_reason(event, value)
    if record.name == "django.request":
        event["event"] = "request failed"
        event["status"] = getattr(record, "status_code", None)
        match = getattr(getattr(record, "request", None), "resolver_match", None)
        event["route"] = match.route if match else "unknown"
    return event


def reason_of(error: BaseException) -> str:
    """The message of a failed connection, or of an error whose class says that it `may_be_logged`; empty for
    any other error, which may quote a user's words."""
    for each in (error, error.__cause__, *error.args):
        text = " ".join(str(each).split())
        if isinstance(each, BaseException) and _may_be_logged(each, text):
            return BEFORE_HOST.sub("…@", text)[:MAX_REASON_LENGTH]
    return ""


def _may_be_logged(error: BaseException, text: str) -> bool:
    if isinstance(error, OF_REDIS) or getattr(error, "may_be_logged", False):
        return True
    return isinstance(error, OF_CONNECTION) and text.startswith(STARTS)
