"""Why a connection to the database or the queue failed, in words that may be logged."""

import re
from collections.abc import Iterator

import psycopg
import redis
from django.db.utils import OperationalError
from dramatiq.errors import BrokerConnectionError

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
MAX_LENGTH = 500


def reason_of(error: BaseException) -> str:
    """The message of a failed connection, or of an error whose class says that it `may_be_logged`; empty for
    any other error, which may quote a user's words."""
    for each in _behind(error):
        text = " ".join(str(each).split())
        if _may_be_logged(each, text):
            return BEFORE_HOST.sub("…@", text)[:MAX_LENGTH]
    return ""


def _behind(error: BaseException) -> Iterator[BaseException]:
    candidates = (error, error.__cause__, *error.args)
    return (each for each in candidates if isinstance(each, BaseException))


def _may_be_logged(error: BaseException, text: str) -> bool:
    if isinstance(error, OF_REDIS) or getattr(error, "may_be_logged", False):
        return True
    return isinstance(error, OF_CONNECTION) and text.startswith(STARTS)
