"""Structured logs with request and job ids, and never a person's words.

An exception is logged as its type and the places it passed through. Its message is left out,
because messages of databases and parsers quote the values they choked on. For the same reason the
values that other packages put into their log lines are left out.
"""

import logging
import logging.config
import sys
import threading
import traceback
from types import TracebackType
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

HARMLESS = ("uvicorn.error",)  # its values are addresses and process ids
MOST_PLACES = 8


def _places(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames][-MOST_PLACES:]


def without_words(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Replace an exception by its type and its places."""
    information = event.pop("exc_info", None)
    if information is True:
        information = sys.exc_info()
    error = information[1] if isinstance(information, tuple) else information
    if isinstance(error, BaseException):
        event["error"] = type(error).__qualname__
        event["places"] = _places(error)
    event.pop("stack_info", None)
    return event


def without_values(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Show the pattern of another package's log line, not the values in it."""
    record: logging.LogRecord = event["_record"]
    if record.name in HARMLESS:
        return event
    event["event"] = str(record.msg).partition("\n")[0]
    if record.name == "django.request":
        event["event"] = "request failed"
        event["status"] = getattr(record, "status_code", None)
        match = getattr(getattr(record, "request", None), "resolver_match", None)
        event["route"] = match.route if match else "unknown"
    return event


LEVELS = {
    "httpx": "WARNING",
    "openai": "WARNING",
    "mcp": "WARNING",
    "uvicorn.access": "WARNING",
    "uvicorn.error": "WARNING",
    "dramatiq": "WARNING",
    "dramatiq_postgres": "WARNING",
    "axes": "ERROR",
}


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        without_words,
    ]


def _handlers(renderer: Processor) -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    renderer,
                ],
                "foreign_pre_chain": [*_shared(), without_values],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {name: {"level": level} for name, level in LEVELS.items()},
    }


def logging_configuration(*, as_json: bool) -> dict[str, Any]:
    """A `dictConfig` for the standard library, with structlog set up to use it."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(colors=False)
    )
    configuration = _handlers(renderer)
    logging.config.dictConfig(configuration)
    logging.raiseExceptions = False  # a line that cannot be formatted would be printed in full
    return configuration


def log_uncaught_errors() -> None:
    """Log what ends this process or one of its threads, instead of printing it with its words."""
    log = structlog.get_logger("palace")

    def process(
        kind: type[BaseException], error: BaseException, places: TracebackType | None
    ) -> None:
        log.critical("process ended", exc_info=(kind, error, places))

    def thread(arguments: threading.ExceptHookArgs) -> None:
        log.error("thread ended", exc_info=arguments.exc_value)

    sys.excepthook = process
    threading.excepthook = thread
