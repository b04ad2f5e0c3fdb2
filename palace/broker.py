"""The queue of background jobs: in the database by default, in Redis when one is given."""

import dramatiq
from django.conf import settings
from dramatiq import Broker
from dramatiq.brokers.redis import RedisBroker
from dramatiq.middleware import default_middleware
from dramatiq_postgres.django.middleware import DbConnectionsMiddleware


def install_broker() -> None:
    """Make the broker that REDIS_URL asks for the one that actors use.

    Without REDIS_URL the Django app of `dramatiq_postgres` has installed its own already.
    """
    if settings.REDIS_URL:
        dramatiq.set_broker(redis_broker(settings.REDIS_URL))


def redis_broker(url: str) -> Broker:
    """A broker on Redis; connections to PostgreSQL are tidied around each job."""
    middleware = [make() for make in default_middleware]
    return RedisBroker(url=url, middleware=[*middleware, DbConnectionsMiddleware()])
