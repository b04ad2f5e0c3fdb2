"""What Prometheus may read: requests by route, the queue, and jobs that gave up. Never a user."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector

from palace.queue import depth

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
REQUESTS = Counter(
    "palace_requests", "Requests answered", ("method", "route", "status"), registry=REGISTRY
)
SECONDS = Histogram(
    "palace_request_seconds", "Time to the answer, in seconds", ("route",), registry=REGISTRY
)
UNDER_WAY = Gauge("palace_up", "Whether this process answers", registry=REGISTRY)
UNDER_WAY.set(1)


class QueueCollector(Collector):
    """Reads the queue when it is asked."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The number of messages by state, or nothing while the queue cannot be reached."""
        family = GaugeMetricFamily("palace_jobs", "Jobs in the queue", labels=("state",))
        found = depth()
        if found is not None:
            family.add_metric(["waiting"], found.waiting)
            family.add_metric(["put_aside"], found.put_aside)
        yield family


REGISTRY.register(QueueCollector())


def observe_request(method: str, route: str, status: int, seconds: float) -> None:
    """Count one answered request under the pattern of its address."""
    REQUESTS.labels(method if method in METHODS else "other", route, str(status)).inc()
    SECONDS.labels(route).observe(seconds)


def text() -> bytes:
    """Every figure in Prometheus's text format."""
    return generate_latest(REGISTRY)
