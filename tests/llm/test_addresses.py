"""No address inside the network is told, however it is written and whatever its name stands for."""

import socket

import pytest

from llm.addresses import AddressRefused, Target, parse, resolve

INSIDE = (
    "127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "localhost", "0.0.0.0", "10.1.2.3", "172.16.0.1",
    "192.168.1.1", "169.254.169.254/latest/meta-data", "100.64.0.1", "224.0.0.1", "255.255.255.255", "[::1]",
    "[::]", "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]", "[2001::1]", "0.1.2.3", "192.0.0.8", "192.0.2.1", "192.88.99.1", "198.19.0.1",
    "198.51.100.1", "203.0.113.1", "240.0.0.1", "[::127.0.0.1]", "[::ffff:198.18.0.1]", "[64:ff9b::c0a8:101]",
    "[64:ff9b:1::1]", "[100::1]", "[100:0:0:1::1]", "[2001:0:5ef5:79fb::1]", "[2001:2::1]", "[2001:20::1]",
    "[2001:db8::1]", "[2002:a00:1::]", "[3fff::1]", "[5f00::1]", "[fec0::1]", "[ff02::1]",
)  # fmt: skip


@pytest.mark.parametrize("host", INSIDE)
def test_addresses_inside_are_refused(host: str) -> None:
    with pytest.raises(AddressRefused):
        resolve(f"https://{host}/", private=False)


@pytest.mark.parametrize(
    "url",
    [
        "https://93.184.216.34/",
        "https://[2606:4700::1111]/",
        "https://[2a00:1450::1]/",
        "https://[64:ff9b::5db8:d822]/",
        "https://[2002:5db8:d822::]/",
    ],
)
def test_addresses_of_the_internet_are_called(url: str) -> None:
    assert resolve(url, private=False).path == "/"


def names(monkeypatch: pytest.MonkeyPatch, *ips: str) -> None:
    """Every name stands for these addresses."""

    def found(host: str, port: int, **_: object):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ips]

    monkeypatch.setattr(socket, "getaddrinfo", found)


def test_one_private_address_among_public_ones_is_enough(monkeypatch) -> None:
    names(monkeypatch, "93.184.216.34", "127.0.0.1")
    with pytest.raises(AddressRefused, match="private network"):
        resolve("https://rebind.example/", private=False)


def test_what_was_looked_at_is_connected_to(monkeypatch) -> None:
    names(monkeypatch, "93.184.216.34")
    found = resolve("https://example.org:8443/a?b=c", private=False)
    assert found == Target(True, "example.org", 8443, "93.184.216.34", "/a?b=c")
    assert found.host_header == "example.org:8443"


def test_private_ones_can_be_allowed() -> None:
    assert resolve("http://127.0.0.1:81", private=True) == Target(False, "127.0.0.1", 81, "127.0.0.1", "/")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "ftp://example.org/",
        "file:///etc/passwd",
        "https://",
        "https://example.org:99999/",
        "https://user:word@example.org/",
        "https://example.org/a b",
        "https://example.org/\r\nX-Injected: yes",
        "https://[::1",
        "http://example.org/",
        "https://example.org/" + "a" * 500,
    ],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(AddressRefused):
        parse(url, private=False)


def test_names_of_any_script() -> None:
    assert parse("https://münchen.example/", private=False)[1] == "xn--mnchen-3ya.example"
