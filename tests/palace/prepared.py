"""A database with its tables and static files that are collected, made once for all homes of a run.

What is copied was made by the commands of the product; it saves each site the half minute of an
empty home. `tests/palace/test_launch.py` starts on one that really is empty.
"""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from palace.embedded.place import EmbeddedDatabase
from tests.palace.processes import environment, finished, reachable

MAKE = """
import django
import gc
gc.set_threshold(50_000, 20, 20)
django.setup()
from palace.preparation import collect_static_files, prepare_database
prepare_database()
collect_static_files()
"""
DATABASE = "postgres"
STATIC = "static"


def prepare(home: Path, factory: pytest.TempPathFactory) -> Path:
    """Give an empty home, which every account may enter, what a first start would make there."""
    made = _made(_shared(factory))
    data = EmbeddedDatabase(home / DATABASE).data
    data.parent.mkdir(parents=True, exist_ok=True)
    source = EmbeddedDatabase(made / DATABASE).data
    # Unlike shutil, this keeps the account that owns the data.
    subprocess.run(["cp", "-a", str(source), str(data)], check=True)
    shutil.copytree(made / STATIC, home / STATIC)
    return home


def _shared(factory: pytest.TempPathFactory) -> Path:
    """The folder of this run, the same for all processes of xdist."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def _made(folder: Path) -> Path:
    """The home that is copied; whoever comes first makes it, and the others wait."""
    home = folder / "prepared"
    with (folder / "prepared.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "complete").exists():
            home.mkdir(exist_ok=True)
            env = environment(reachable(home), DJANGO_SETTINGS_MODULE="palace.settings")
            done = finished("-c", MAKE, env=env)
            assert done.returncode == 0, done.stderr
            (home / "complete").touch()
    return home
