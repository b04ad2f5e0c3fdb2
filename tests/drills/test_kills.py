"""Everything that runs is killed at random; KILLS=500 makes it as many as a release wants."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.palace.processes import environment, reachable, run_process

KILLS = int(os.environ.get("KILLS", "10"))


@pytest.mark.drill
def test_whatever_is_killed_nothing_is_lost_and_nothing_is_stuck() -> None:
    with TemporaryDirectory() as home:  # pytest would close its own to the server, whenever another starts
        env = environment(reachable(Path(home)), DJANGO_SETTINGS_MODULE="tests.drills.settings")
        done = run_process("-m", "tests.drills.kills", str(KILLS), "1", env=env, within=1_800 + 60 * KILLS)
    assert done.returncode == 0, done.stderr[-2_000:]
    report = json.loads(done.stdout)
    assert report["wrong"] == []
    assert sum(report["killed"].values()) >= KILLS
    places = {each.split(" at ")[1] for each in report["killed"]}
    assert places >= {"import", "chat", "mining", "consolidation", "forgetting", "export", "restore"}
