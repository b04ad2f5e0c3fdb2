import gzip
import threading
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from django.core.management import call_command

from bench.cases import BenchmarkImpossible
from bench.datasets import download, load


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """The URL of a local server with one file."""
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


def test_files_may_be_plain_compressed_or_json_lines(tmp_path):
    plain, packed, lines = (tmp_path / name for name in ("a.json", "b.data", "c.jsonl.gz"))
    plain.write_text('{"a": "é"}')
    packed.write_bytes(gzip.compress(b"[1]", mtime=0))
    lines.write_bytes(gzip.compress(b"1\n\n[2]\n", mtime=0))
    assert [load(path) for path in (plain, packed, lines)] == [{"a": "é"}, [1], [1, [2]]]


@pytest.mark.parametrize("content", [gzip.compress(b"[1, 2, 3]" * 50, mtime=0)[:-20], b"{", None])
def test_unreadable_file_is_refused_with_the_reason(tmp_path, content):
    path = tmp_path / "torn.json.gz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BenchmarkImpossible, match=r"The data file .*torn"):
        load(path)


def test_file_is_downloaded_once(site, tmp_path, capsys):
    call_command("bench", "locomo", data=f"{site}/set.json", stage="download", out=tmp_path / "out")
    path = tmp_path / "out" / "set.json"
    assert sha256(path.read_bytes()).hexdigest() in capsys.readouterr().out
    path.write_text("kept")
    assert download(f"{site}/set.json", tmp_path / "out")["bytes"] == 4


@pytest.mark.parametrize(
    "address", ["{site}/other.json", "file:///etc/hostname", "http://127.0.0.1:9/set.json"]
)
def test_failed_download_leaves_no_file(site, tmp_path, address):
    with pytest.raises(BenchmarkImpossible):
        download(address.format(site=site), tmp_path / "out")
    assert not [path for path in (tmp_path / "out").glob("*") if path.suffix == ".json"]
