"""Structured logs with request and job ids, and never a person's words.

An exception is logged as its type and the places it passed through. Its message is left out,
because messages of databases and parsers quote the values they choked on.
"""

import logging
import logging.config
import traceback
from types import TracebackType
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None]


def _places(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


def without_words(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Replace an exception by its type and its places, and drop record arguments."""
    information = event.pop("exc_info", None)
    if information is True:
        return event
    if isinstance(information, BaseException):
        error: BaseException | None = information
    else:
        error = information[1] if information else None
    if error is not None:
        event["error"] = type(error).__qualname__
        event["places"] = _places(error)[-8:]
    return event


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        without_words,
    ]


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
    configuration = {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    renderer,
                ],
                "foreign_pre_chain": _shared(),
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            "httpx": {"level": "WARNING"},
            "openai": {"level": "WARNING"},
            "uvicorn.access": {"level": "WARNING"},
            "dramatiq": {"level": "WARNING"},
            "dramatiq_postgres": {"level": "WARNING"},
            "axes": {"level": "ERROR"},
        },
    }
    logging.config.dictConfig(configuration)
    return configuration
