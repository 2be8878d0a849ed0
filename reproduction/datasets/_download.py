"""Download one file, within a number of bytes and of seconds."""

import math
import threading
import time
from importlib import import_module
from typing import Any

from bicneuron._shared._version import import_extra
from reproduction.exceptions import DatasetDownloadError

_CHUNK = 2**16
# A server that sends nothing for so long is given up, whatever the total allows.
_MOST_SILENT = 60.0


def download(address: str, *, max_bytes: int, deadline: float) -> bytes:
    """Return the content at an address."""
    import_extra("requests", "fetch_dataset needs requests: pip install requests.")
    seconds = deadline - time.monotonic()
    worker = _Worker(address, max_bytes, seconds)
    # A thread, because names, handshakes and headers may be dripped, and no library bounds the sum.
    worker.start()
    worker.join(max(seconds, 0.0))
    if worker.is_alive():
        worker.is_late = True
        raise _failure(address, "it takes too long; pass a larger timeout")
    if isinstance(worker.failure, DatasetDownloadError):
        raise worker.failure
    if worker.failure is not None:
        response = getattr(worker.failure, "response", None)
        kind = type(worker.failure).__name__
        reason = kind if response is None else f"HTTP {response.status_code}"
        raise _failure(address, reason) from worker.failure
    return bytes(worker.content)


class _Worker(threading.Thread):
    """Reads an answer until it ends, grows too long, or is late."""

    def __init__(self, address: str, max_bytes: int, seconds: float) -> None:
        super().__init__(daemon=True)  # one that hangs does not keep Python from ending
        self.content = bytearray()
        self.failure: Exception | None = None
        self.is_late = False
        self._address = address
        self._max_bytes = max_bytes
        self._silence = min(_MOST_SILENT, max(seconds, math.ulp(1.0)))

    def run(self) -> None:
        try:
            self._read()
        except Exception as error:  # of any kind: it is raised where the answer is waited for
            self.failure = error

    def _read(self) -> None:
        requests: Any = import_module("requests")
        with requests.get(self._address, timeout=self._silence, stream=True) as response:
            response.raise_for_status()
            for chunk in response.iter_content(_CHUNK):
                self.content += chunk
                if len(self.content) > self._max_bytes:
                    raise _failure(self._address, f"more than {self._max_bytes} bytes")
                if self.is_late:
                    return


def _failure(address: str, reason: str) -> DatasetDownloadError:
    return DatasetDownloadError(
        f"Cannot download {address}: {reason}. Check the connection or pass base_url."
    )
