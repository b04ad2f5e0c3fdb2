import threading
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from bench.downloading import download
from bench.errors import BenchmarkImpossible


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """The address of a folder that is served on the loopback interface."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "set.json").write_text('[{"a": 1}]')
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join(5)


def test_a_file_is_fetched_once_and_its_digest_told(site, tmp_path, capsys):
    call_command("bench", "locomo", data=f"{site}/set.json", stage="download", out=tmp_path / "out")
    path = tmp_path / "out" / "set.json"
    assert sha256(path.read_bytes()).hexdigest() in capsys.readouterr().out
    path.write_text("kept")
    assert download(f"{site}/set.json", tmp_path / "out")["bytes"] == 4


def test_what_is_too_large_or_not_there_leaves_no_file(site, tmp_path):
    with pytest.raises(BenchmarkImpossible, match="larger"):
        download(f"{site}/set.json", tmp_path / "out", most=5)
    with pytest.raises(BenchmarkImpossible, match="could not be fetched"):
        download(f"{site}/other.json", tmp_path / "out")
    assert not (tmp_path / "out" / "set.json").exists()
    with pytest.raises(BenchmarkImpossible, match="no web address"):
        download("file:///etc/hostname", tmp_path / "out")


def test_without_a_file_it_is_said_where_the_original_is():
    for stage in ("download", "full"):
        with pytest.raises(CommandError, match=r"snap-research/locomo"):
            call_command("bench", "locomo", stage=stage)
