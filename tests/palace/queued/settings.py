"""Palace with the test jobs and short timeouts for dead workers."""

from palace.settings import *  # noqa: F403 - settings are one namespace
from palace.settings import DRAMATIQ_BROKER, INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.palace.queued"]
HEARTBEAT_TTL_S = 2
WORKER_STALLED_AFTER_S = 3
DRAMATIQ_BROKER["OPTIONS"] |= {"heartbeat_interval": 0.5, "heartbeat_ttl": 2, "maintenance_interval": 1}
