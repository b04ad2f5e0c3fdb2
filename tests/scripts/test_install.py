"""Finding a Python, and installing once."""

import importlib.util
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

from tests.palace.processes import CHECKOUT

FINDER = CHECKOUT / "scripts" / "find-python"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the finder in it and no environment yet."""
    (tmp_path / "scripts").mkdir()
    finder = tmp_path / "scripts" / "find-python"
    finder.write_text(FINDER.read_text())
    return tmp_path


def interpreter(folder: Path, name: str, *, version: str, modules: bool = True) -> Path:
    """A stand-in for a Python of some version, with or without the venv module."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    new_enough = tuple(int(part) for part in version.split(".")) >= (3, 11)
    path.write_text(
        "#!/bin/sh\n"
        f'case "$*" in\n'
        f"  *version_info[:2]*) echo {'.'.join(version.split('.')[:2])} ;;\n"
        f"  *version_info*) exit {0 if new_enough else 1} ;;\n"
        f"  *ensurepip*) exit {0 if modules else 1} ;;\n"
        f"  -V) echo Python {version} ;;\n"
        "esac\n"
    )
    path.chmod(0o755)
    return path


def find(checkout: Path, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": f"{folder}:{tools(checkout)}", **more}
    finder = str(checkout / "scripts" / "find-python")
    return subprocess.run(["/bin/sh", finder], env=env, capture_output=True, text=True, check=False)


def tools(checkout: Path) -> Path:
    """The few tools the finder uses, without any Python of this machine."""
    folder = checkout / "tools"
    folder.mkdir(exist_ok=True)
    for name in ("sh", "dirname"):
        target = Path("/usr/bin") / name
        if not (folder / name).exists():
            (folder / name).symlink_to(target if target.exists() else Path("/bin") / name)
    return folder


def test_the_first_python_that_is_new_enough(checkout: Path) -> None:
    folder = checkout / "bin"
    interpreter(folder, "python3", version="3.9.2")
    good = interpreter(folder, "python3.12", version="3.12.1")
    assert find(checkout, folder).stdout.strip() == str(good)


def test_an_environment_that_is_there_comes_first(checkout: Path) -> None:
    interpreter(checkout / "bin", "python3", version="3.13.0")
    (checkout / ".venv").mkdir()
    interpreter(checkout / ".venv" / "bin", "python", version="3.11.2")
    assert find(checkout, checkout / "bin").stdout.strip() == ".venv/bin/python"


@pytest.mark.skipif(Path("/usr/bin/python3").exists(), reason="the last resort is there")
def test_no_python_at_all(checkout: Path) -> None:
    done = find(checkout, checkout / "bin")
    assert done.returncode == 1
    assert "needs Python 3.11 or newer" in done.stderr


def test_a_named_python_that_is_too_old(checkout: Path) -> None:
    interpreter(checkout / "bin", "snake", version="3.10.9")
    done = find(checkout, checkout / "bin", PYTHON="snake")
    assert done.returncode == 1
    assert "PYTHON=snake is not a Python 3.11 or newer" in done.stderr


def test_a_python_without_venv_is_told_what_to_install(checkout: Path) -> None:
    interpreter(checkout / "bin", "bare", version="3.11.2", modules=False)
    done = find(checkout, checkout / "bin", PYTHON="bare")
    assert done.returncode == 1
    assert "apt install python3-venv" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The installer, working in a folder of its own with nothing to install."""
    spec = importlib.util.spec_from_file_location("install", CHECKOUT / "scripts" / "install.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, path in {
        "CHECKOUT": tmp_path,
        "ENVIRONMENT": tmp_path / ".venv",
        "PYTHON": tmp_path / ".venv" / "bin" / "python",
        "STAMP": tmp_path / ".venv" / "installed",
        "RUNTIME": tmp_path / "requirements.txt",
        "DEVELOPMENT": tmp_path / "requirements-dev.txt",
    }.items():
        monkeypatch.setattr(module, name, path)
    (tmp_path / "requirements.txt").write_text("# nothing\n")
    (tmp_path / "requirements-dev.txt").write_text("# nothing more\n")
    monkeypatch.setattr(module, "fetch_models", lambda: None)
    monkeypatch.setattr(sys, "argv", ["install.py"])
    return module


def test_installing_twice_does_the_work_once(
    install: ModuleType, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    install.main()
    assert "Making a Python environment" in capsys.readouterr().err
    install.main()
    assert capsys.readouterr().err == ""
    (tmp_path / "requirements.txt").write_text("# something else\n")
    install.main()
    said = capsys.readouterr().err
    assert "Installing packages (requirements.txt)" in said
    assert "Making" not in said


def test_an_installation_that_broke_off_is_taken_up(
    install: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to("/nowhere")
    install.main()
    assert "Making a Python environment" in capsys.readouterr().err
    assert install.environment_works()


def test_packages_that_cannot_be_had_are_a_sentence(install: ModuleType, tmp_path: Path) -> None:
    digest = "--hash=sha256:" + "0" * 64
    (tmp_path / "requirements.txt").write_text(f"palace-has-no-such-package==1 {digest}\n")
    os.environ["PIP_NO_INDEX"] = "1"
    try:
        with pytest.raises(SystemExit, match="Run make again"):
            install.main()
    finally:
        del os.environ["PIP_NO_INDEX"]
    assert not install.is_installed((tmp_path / "requirements.txt",))


def test_a_second_installation_waits_for_the_first(
    install: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    order: list[str] = []

    def second() -> None:
        with install.one_at_a_time():
            order.append("second")

    thread = threading.Thread(target=second)
    with install.one_at_a_time():
        thread.start()
        thread.join(0.5)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]
    assert "Waiting for another installation" in capsys.readouterr().err
