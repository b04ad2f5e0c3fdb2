"""Finding a Python interpreter, and installing."""

import importlib.util
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.palace.processes import CHECKOUT


@pytest.fixture
def checkout(tmp_path):
    """A checkout with the finder and the few tools it uses, without the Pythons of this machine."""
    for folder in ("scripts", "bin", "tools"):
        (tmp_path / folder).mkdir()
    finder = CHECKOUT / "scripts" / "find-python"
    (tmp_path / "scripts" / "find-python").write_text(finder.read_text())
    for name in ("sh", "dirname"):
        target = Path("/usr/bin") / name
        (tmp_path / "tools" / name).symlink_to(target if target.exists() else Path("/bin") / name)
    return tmp_path


def interpreter(path, *, version, has_venv=True):
    """A fake Python of some version."""
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = tuple(int(part) for part in version.split(".")) >= (3, 11)
    path.write_text(
        "#!/bin/sh\n"
        f'case "$*" in\n'
        f"  *version_info[:2]*) echo {'.'.join(version.split('.')[:2])} ;;\n"
        f"  *version_info*) exit {0 if is_new else 1} ;;\n"
        f"  *ensurepip*) exit {0 if has_venv else 1} ;;\n"
        f"  -V) echo Python {version} ;;\n"
        "esac\n"
    )
    path.chmod(0o755)
    return path


def find(checkout, **more):
    env = {"PATH": f"{checkout / 'bin'}:{checkout / 'tools'}", **more}
    finder = str(checkout / "scripts" / "find-python")
    return subprocess.run(["/bin/sh", finder], env=env, capture_output=True, text=True, check=False)


def test_environment_or_first_recent_python_is_found(checkout):
    interpreter(checkout / "bin" / "python3", version="3.9.2")
    good = interpreter(checkout / "bin" / "python3.12", version="3.12.1")
    assert find(checkout).stdout.strip() == str(good)
    interpreter(checkout / ".venv" / "bin" / "python", version="3.11.2")
    assert find(checkout).stdout.strip() == ".venv/bin/python"


@pytest.mark.parametrize(
    ("version", "has_venv", "words"),
    [
        ("3.10.9", True, "PYTHON=snake is not a Python 3.11 or newer"),
        ("3.11.2", False, "apt install python3-venv"),
    ],
)
def test_unusable_python_is_reported_in_one_sentence(checkout, version, has_venv, words):
    interpreter(checkout / "bin" / "snake", version=version, has_venv=has_venv)
    done = find(checkout, PYTHON="snake")
    assert done.returncode == 1
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.skipif(Path("/usr/bin/python3").exists(), reason="the finder tries /usr/bin/python3 last")
def test_missing_python_is_reported_in_one_sentence(checkout):
    done = find(checkout)
    assert done.returncode == 1
    assert "needs Python 3.11 or newer" in done.stderr


@pytest.fixture
def install(tmp_path, monkeypatch):
    """The installer of a checkout without requirements."""
    script = tmp_path / "scripts" / "install.py"
    script.parent.mkdir()
    shutil.copy(CHECKOUT / "scripts" / "install.py", script)
    for name in ("requirements.txt", "requirements-dev.txt"):
        (tmp_path / name).write_text(f"# {name}\n")
    spec = importlib.util.spec_from_file_location("install", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.fetch_models = lambda: None
    monkeypatch.setattr(sys, "argv", ["install.py"])
    return module


@pytest.mark.drill
def test_second_install_is_silent_and_failure_is_reported(install, capsys, tmp_path, monkeypatch):
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to("/nowhere")
    install.main()
    assert capsys.readouterr().err.splitlines() == [
        "Creating a Python environment in .venv…",
        "Installing 0 packages, which takes a minute or two the first time: done.",
    ]
    install.main()
    assert capsys.readouterr().err == ""
    digest = "--hash=sha256:" + "0" * 64
    (tmp_path / "requirements.txt").write_text(f"palace-has-no-such-package==1 \\\n    {digest}\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(SystemExit, match="then run make again"):
        install.main()
    said = capsys.readouterr().err
    assert "ERROR: No matching distribution found for palace-has-no-such-package" in said
    assert len(said.splitlines()) <= install.SHOWN_LINES + 1
    assert not install.is_installed((tmp_path / "requirements.txt",))


def test_concurrent_installation_waits_for_the_first(install, capsys):
    order: list[str] = []
    waiting = threading.Event()
    say = install.say
    install.say = lambda words: (say(words), waiting.set())

    def second():
        with install.one_at_a_time():
            order.append("second")

    thread = threading.Thread(target=second)
    with install.one_at_a_time():
        thread.start()
        assert waiting.wait(10)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]
    assert "Waiting for another installation" in capsys.readouterr().err
