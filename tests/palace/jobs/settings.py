"""Palace with the jobs of the tests, a database that may lose data, and a short memory of workers
that have gone."""

from palace.embedded.place import EmbeddedDatabase
from palace.settings import *  # noqa: F403 - settings are one namespace
from palace.settings import DRAMATIQ_BROKER, INSTALLED_APPS, PALACE_HOME

EMBEDDED_DATABASE = EmbeddedDatabase(PALACE_HOME / "postgres", durable=False)
INSTALLED_APPS = [*INSTALLED_APPS, "tests.palace.jobs"]
ROOT_URLCONF = "tests.palace.jobs.urls"
HEARTBEAT_TTL_S = 2
DRAMATIQ_BROKER["OPTIONS"] |= {
    "heartbeat_interval": 0.5,
    "heartbeat_ttl": 2,
    "maintenance_interval": 1,
}
