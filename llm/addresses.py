"""Validates URLs that users enter: they may not lead into private networks unless that is allowed."""

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

MAX_URL_LENGTH = 500
NO_URL = "Enter a complete URL, such as https://example.org/hook."
NO_CREDENTIALS = "URLs with a user name or password are not accepted. Check the signature instead."
NOT_SECURE = "The URL must start with https://."
NOT_FOUND = "There is no such host."
PRIVATE = "The URL points to a private network. The operator of this site can allow that."
UNICAST = ipaddress.IPv6Network("2000::/3")
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# Special-purpose ranges of IANA's registries that some versions of Python consider global. They include 6to4
# relays (192.88.99.0/24), Teredo, ORCHID and other protocols (2001::/23), and 6to4 (2002::/16) after the
# embedded address was extracted.
SPECIAL = tuple(
    ipaddress.ip_network(network)
    for network in (
        *("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "224.0.0.0/4"),
        *("240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
    )
)


class AddressRefused(ValueError):
    """A URL that may not be used; the message is shown to the user."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where to connect. The connection goes to the `ip` that was validated."""

    secure: bool
    host: str
    port: int
    ip: str
    path: str

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        default_port = 443 if self.secure else 80
        return host if self.port == default_port else f"{host}:{self.port}"

    @property
    def pinned_url(self) -> str:
        """The URL with the validated address in place of the host."""
        ip = f"[{self.ip}]" if ":" in self.ip else self.ip
        return f"{'https' if self.secure else 'http'}://{ip}:{self.port}{self.path}"


def parse(url: str, *, private: bool) -> tuple[bool, str, int, str]:
    """Whether a URL is secure, and its host, port and path. Raises AddressRefused."""
    if len(url) > MAX_URL_LENGTH:  # before `urlsplit`, which is not linear
        raise AddressRefused(NO_URL)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise AddressRefused(NO_URL) from error
    if parts.scheme not in {"http", "https"} or not host:
        raise AddressRefused(NO_URL)
    if parts.username or parts.password:
        raise AddressRefused(NO_CREDENTIALS)
    secure = parts.scheme == "https"
    if not secure and not private:
        raise AddressRefused(NOT_SECURE)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not path.isascii() or any(character <= " " or character == "\x7f" for character in url):
        raise AddressRefused(NO_URL)
    return secure, _ascii(host), port or (443 if secure else 80), path


def resolve(url: str, *, private: bool) -> Target:
    """Resolve a URL. All IP addresses of the host must be public, so DNS rebinding finds nothing to switch
    to. Raises AddressRefused."""
    secure, host, port, path = parse(url, private=private)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressRefused(NOT_FOUND) from error
    ips = [str(entry[4][0]).partition("%")[0] for entry in found]
    if not ips:
        raise AddressRefused(NOT_FOUND)
    if not private and not all(map(_is_public, ips)):
        raise AddressRefused(PRIVATE)
    return Target(secure, host, port, ips[0], path)


def _is_public(ip: str) -> bool:
    address: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.ip_address(ip)
    if isinstance(address, ipaddress.IPv6Address):
        inside = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in NAT64 else None
        address = address.ipv4_mapped or address.sixtofour or inside or address
    if address.version == 6 and address not in UNICAST:
        return False
    return address.is_global and not any(address in network for network in SPECIAL)


def _ascii(host: str) -> str:
    try:
        return host.encode("idna").decode() if not host.isascii() else host
    except UnicodeError as error:
        raise AddressRefused(NO_URL) from error
