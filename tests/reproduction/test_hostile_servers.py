"""Servers that send too much, too slowly or nonsense are answered in time, by one line."""

import gzip
import itertools
import json
import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from reproduction.datasets import fetch_dataset
from reproduction.exceptions import DatasetDownloadError

pytestmark = pytest.mark.usefixtures("no_proxy")
LIMIT = 0.3  # seconds, where a server would never end
OK = b"HTTP/1.1 200 OK\r\n"
WRONG = {"name": 1, "url": [], "md5_checksum": None, "default_target_attribute": {}}


@contextmanager
def serving(answer):
    """Send what ``answer`` yields to every connection; None waits for a twentieth of a second."""
    is_over = threading.Event()

    def talk(connection):
        with connection, suppress(OSError):
            connection.recv(2**16)
            for part in answer():
                if is_over.is_set():
                    return
                if part is None:
                    is_over.wait(0.05)
                else:
                    connection.sendall(part)

    def accept(listener):
        with suppress(OSError):
            while not is_over.is_set():
                connection, _ = listener.accept()
                threading.Thread(target=talk, args=[connection], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
        thread = threading.Thread(target=accept, args=[listener], daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{address[1]}"
        finally:
            is_over.set()
            with suppress(OSError), socket.create_connection(address, timeout=1):
                pass  # wakes the one that accepts
            thread.join()


def page(content, *headers):
    lines = [b"Content-Length: %d" % len(content), *headers]
    return [OK + b"\r\n".join(lines) + b"\r\n\r\n" + content]


def described(description):
    return page(json.dumps({"data_set_description": description}).encode())


def redirected(to):
    return [b"HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % to]


def after(start, repeated):
    return itertools.chain([start], itertools.cycle(repeated))


SLOW = {
    "silent": lambda: itertools.repeat(None),
    "dripped header": lambda: after(OK + b"X-Slow: ", [b"x", None]),
    "dripped body": lambda: after(OK + b"Content-Length: 100000\r\n\r\n", [b" ", None]),
}
DEEP = b'{"data_set_description": ' + b'{"a":' * 150_000 + b"1" + b"}" * 150_001
PACKED = b"".join([gzip.compress(bytes(2**22), 1)] * 64)  # 256 MB of zeros
CHUNK = b"10000\r\n" + b" " * 2**16 + b"\r\n"
ODD = {
    "endless body": lambda: after(OK + b"\r\n", [b" " * 2**16]),
    "endless headers": lambda: after(OK, [b"X-More: 1\r\n" * 1000]),
    "endless chunks": lambda: after(OK + b"Transfer-Encoding: chunked\r\n\r\n", [CHUNK]),
    "packed zeros": lambda: page(PACKED, b"Content-Encoding: gzip"),
    "redirected for ever": lambda: redirected(b"/again"),
    "redirected to a file": lambda: redirected(b"file:///etc/passwd"),
    "no HTTP": lambda: [b"\x00\xff" * 1000],
    "cut short": lambda: [OK + b"Content-Length: 1000000000000\r\n\r\n{"],
    "nested": lambda: page(b"[" * 500_000),
    "nested inside": lambda: page(DEEP),
    "wrong types": lambda: described(WRONG),
    "bad address": lambda: described(dict.fromkeys(WRONG, "sonar") | {"url": "http://[::1"}),
    "long texts": lambda: described(dict.fromkeys(WRONG, "x" * 100_000)),
}


@pytest.mark.parametrize("answer", [*SLOW, *ODD])
def test_a_hostile_server(answer, tmp_path):
    with serving((SLOW | ODD)[answer]) as base_url:
        # Those that would end, or send too much, are not told by their time.
        timeout = LIMIT if answer in SLOW else 20.0
        start = time.monotonic()
        with pytest.raises(DatasetDownloadError) as raised:
            fetch_dataset("sonar", data_home=tmp_path, base_url=base_url, timeout=timeout)
        assert time.monotonic() - start < 20.0 + timeout, "it would never end"
    message = str(raised.value)
    assert base_url in message
    assert "\n" not in message
    assert len(message) < 300
    assert ("takes too long; pass a larger timeout" in message) == (answer in SLOW)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("timeout", [0, -1.0, float("nan"), "60", None, True])
def test_no_time(timeout, tmp_path):
    with pytest.raises(ValueError, match=r"timeout=.* must be a number of seconds above 0"):
        fetch_dataset("sonar", data_home=tmp_path, timeout=timeout)
