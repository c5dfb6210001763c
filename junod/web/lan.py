"""Where the local network reaches this device."""

from __future__ import annotations

import ipaddress
import socket

from junod.web.access import AccessError

_SOMEWHERE = ("192.0.2.1", 9)
"""An address for documentation (RFC 5737): asking for the way there sends nothing."""


def lan_ip() -> str:
    """The address of this device on its network.

    Raises:
        AccessError: there is no network, or it is no private one.
    """
    try:
        probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    except OSError as error:
        raise AccessError("junod's unit lets it into no network.", hint="`scripts/install --lan` allows it.") from error
    with probe:
        try:
            probe.connect(_SOMEWHERE)
        except OSError as error:
            raise AccessError("This device is on no network.", hint="Connect it, then try again.") from error
        found = str(probe.getsockname()[0])
    if not ipaddress.ip_address(found).is_private or found.startswith("127."):
        raise AccessError(
            f"{found} is no address of a home network.", hint="junod opens its page to private networks only."
        )
    return found


def host_names(ip: str) -> frozenset[str]:
    """Names under which a browser on the network may ask for us."""
    name = socket.gethostname().lower()
    return frozenset({ip, name, f"{name}.local"})
