"""All processes are killed at random; use KILLS=500 before a release."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.palace.processes import environment, reachable, run_process

KILLS = int(os.environ.get("KILLS", "10"))


@pytest.mark.drill
def test_random_kills_lose_nothing_and_leave_nothing_stuck():
    with TemporaryDirectory() as home:  # pytest makes its own private whenever another run starts
        env = environment(reachable(Path(home)), DJANGO_SETTINGS_MODULE="tests.drills.settings")
        done = run_process("-m", "tests.drills.kills", str(KILLS), "1", env=env, within=1_800 + 60 * KILLS)
    assert done.returncode == 0, done.stderr[-2_000:]
    report = json.loads(done.stdout)
    assert report["wrong"] == []
    assert sum(report["killed"].values()) >= KILLS
    places = {each.split(" at ")[1] for each in report["killed"]}
    assert places >= {"import", "chat", "mining", "consolidation", "forgetting", "export", "restore"}
