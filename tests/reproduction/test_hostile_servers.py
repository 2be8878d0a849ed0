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

LIMIT = 1.0  # second, where a server would never end
OK = b"HTTP/1.1 200 OK\r\n"
WRONG = {"name": 1, "url": [], "md5_checksum": None, "default_target_attribute": {}}


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


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


def silent():
    return itertools.repeat(None)


def dripped_header():
    yield OK + b"X-Slow: "
    yield from itertools.cycle([b"x", None])


def dripped_body():
    yield OK + b"Content-Length: 100000\r\n\r\n"
    yield from itertools.cycle([b" ", None])


def endless_body():
    yield OK + b"\r\n"
    yield from itertools.repeat(b" " * 2**16)


def endless_headers():
    yield OK
    yield from itertools.repeat(b"X-More: 1\r\n" * 1000)


def endless_chunks():
    yield OK + b"Transfer-Encoding: chunked\r\n\r\n"
    yield from itertools.repeat(b"10000\r\n" + b" " * 2**16 + b"\r\n")


def packed_zeros():
    return page(gzip.compress(bytes(2**28), 1), b"Content-Encoding: gzip")


def redirected_for_ever():
    return [b"HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n"]


def redirected_to_a_file():
    return [b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"]


def no_http():
    return [b"\x00\xff" * 1000]


def cut_short():
    return [OK + b"Content-Length: 1000000000000\r\n\r\n{"]


def nested():
    return page(b"[" * 500_000)


def nested_inside():
    return page(b'{"data_set_description": ' + b'{"a":' * 150_000 + b"1" + b"}" * 150_001)


def wrong_types():
    return page(json.dumps({"data_set_description": WRONG}).encode())


def a_list_of_descriptions():
    return page(json.dumps({"data_set_description": [WRONG]}).encode())


def bad_address():
    texts = dict.fromkeys(WRONG, "sonar") | {"url": "http://[::1"}
    return page(json.dumps({"data_set_description": texts}).encode())


def long_texts():
    texts = dict.fromkeys(WRONG, "x" * 100_000)
    return page(json.dumps({"data_set_description": texts}).encode())


SLOW = [silent, dripped_header, dripped_body]
ODD = [
    *(endless_body, endless_headers, endless_chunks, packed_zeros, redirected_for_ever),
    *(redirected_to_a_file, no_http, cut_short, nested, nested_inside, wrong_types),
    *(a_list_of_descriptions, bad_address, long_texts),
]


@pytest.mark.parametrize("answer", [*SLOW, *ODD], ids=lambda answer: answer.__name__)
def test_a_hostile_server(answer, tmp_path):
    with serving(answer) as base_url:
        # Those that would end, or send too much, are not told by their time.
        timeout = LIMIT if answer in SLOW else 20.0
        start = time.monotonic()
        with pytest.raises(DatasetDownloadError) as raised:
            fetch_dataset("sonar", data_home=tmp_path, base_url=base_url, timeout=timeout)
        assert time.monotonic() - start < 2 * timeout
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
