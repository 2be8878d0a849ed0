"""Downloads from a small OpenML that runs on this machine."""

import json
import socket
import threading
from contextlib import contextmanager
from dataclasses import replace
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from reproduction.datasets import _registry, dataset_info, fetch_dataset, load_dataset
from reproduction.exceptions import (
    DatasetCorruptError,
    DatasetDownloadError,
    DatasetNotFoundError,
    DatasetOrderWarning,
)

pytestmark = pytest.mark.usefixtures("no_proxy")
WDBC = load_breast_cancer()


class OpenML:
    """Pages by path; remembers which were asked for."""

    def __init__(self):
        self.pages = {}
        self.asked = []
        self.withheld = 0  # bytes at the end of each page that are promised, but not sent
        self.base_url = None

    def add(self, data_id, name, arff, *, target="Class", md5_of=None):
        """Publish a data set; the page of its description names the real server."""
        path = f"/data/v1/download/{data_id}000/{name}.arff"
        checksum = md5((md5_of or arff).encode()).hexdigest()
        self.pages[path] = arff.encode()
        self.pages[f"/api/v1/json/data/{data_id}"] = json.dumps(
            {
                "data_set_description": {
                    "id": str(data_id),
                    "name": name,
                    "file_id": f"{data_id}000",
                    "url": f"https://www.openml.org{path}",
                    "default_target_attribute": target,
                    "md5_checksum": checksum,
                }
            }
        ).encode()


@contextmanager
def serving(openml):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            openml.asked.append(self.path)
            page = openml.pages.get(self.path)
            self.send_response(404 if page is None else 200)
            self.send_header("Content-Length", str(len(page or b"")))
            self.end_headers()
            self.wfile.write((page or b"")[: len(page or b"") - openml.withheld])

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def openml():
    openml = OpenML()
    with serving(openml) as openml.base_url:
        yield openml


def arff(data, labels, *, class_first=False):
    """Quoted names, comments, nominal labels: as found on OpenML."""
    lines = ["% title", "@RELATION 'data set'", ""]
    features = [f"@ATTRIBUTE 'feature {j}, real' REAL" for j in range(data.shape[1])]
    target = "@ATTRIBUTE Class {" + ",".join(sorted({f"'{label}'" for label in labels})) + "}"
    lines += [target, *features] if class_first else [*features, target]
    lines += ["@DATA"]
    for row, label in zip(data.tolist(), labels, strict=True):
        cells = [repr(value) for value in row]
        lines.append(",".join([label, *cells] if class_first else [*cells, label]))
    return "\n".join(lines) + "\n"


@pytest.fixture
def wdbc(monkeypatch):
    """The set that needs no file, as if it were on OpenML: a download without the real files."""
    info = replace(dataset_info("wdbc"), openml_id=1510)
    monkeypatch.setitem(_registry._registry(), "wdbc", info)
    return WDBC.data, ["21"[label] for label in WDBC.target]


def fetched(openml, home, page, name="wdbc", **changes):
    openml.add(1510, name, page, **changes)
    return fetch_dataset("wdbc", data_home=home, base_url=openml.base_url)


# --- what works


@pytest.mark.parametrize("class_first", [False, True])
def test_a_download_becomes_a_file(wdbc, openml, tmp_path, monkeypatch, class_first):
    home = tmp_path / "new" / "folder"
    monkeypatch.setenv("BICNEURON_DATA", str(home))
    openml.add(1510, "WDBC", arff(*wdbc, class_first=class_first))
    path = fetch_dataset("wdbc", base_url=openml.base_url + "/")
    assert path == home / "wdbc.csv.gz"
    assert [entry.name for entry in home.iterdir()] == ["wdbc.csv.gz"]
    bunch = load_dataset("wdbc")
    assert bunch.source == "file"
    np.testing.assert_array_equal(bunch.data, WDBC.data)
    np.testing.assert_array_equal(bunch.target == "M", WDBC.target == 0)
    assert bunch.feature_names[:2] == ["feature 0, real", "feature 1, real"]


def test_an_intact_file_is_not_downloaded_again(wdbc, openml, tmp_path):
    page = arff(*wdbc)
    path = fetched(openml, tmp_path, page)
    written = path.read_bytes()
    assert fetched(openml, tmp_path, page) == path
    assert len(openml.asked) == 2, "the description and the file, once"
    path.write_bytes(written[:-20])
    assert fetched(openml, tmp_path, page).read_bytes() == written


# --- another order


def test_another_order_is_written_and_said_aloud(wdbc, openml, tmp_path):
    data, labels = wdbc
    openml.add(1510, "wdbc", arff(data[::-1], labels[::-1]))
    for _ in range(2):  # downloaded, then found
        with pytest.warns(DatasetOrderWarning, match="another order") as caught:
            fetch_dataset("wdbc", data_home=tmp_path, base_url=openml.base_url)
        assert caught[0].filename == __file__
    with pytest.warns(DatasetOrderWarning):
        found = load_dataset("wdbc", data_home=tmp_path)
    np.testing.assert_array_equal(found.data, WDBC.data[::-1])


# --- what is refused


def refused(openml, error, home, name="wdbc"):
    """What is said of a download that is not taken; nothing is written."""
    with pytest.raises(error) as raised:
        fetch_dataset(name, data_home=home, base_url=openml.base_url)
    assert not list(home.iterdir())
    assert "\n" not in str(raised.value)
    return str(raised.value)


def changed(data):
    data = data.copy()
    data[3, 3] += 0.001
    return data


@pytest.mark.parametrize(
    ("make", "about", "words"),
    [
        (lambda X, y: arff(changed(X), y), {}, "its values or labels differ"),
        (lambda X, y: arff(X[:, 1:], y), {}, "569 x 29 values instead of 569 x 30"),
        (lambda X, y: arff(X, ["3", *y[1:]]), {}, "classes of [1, 211, 357] rows"),
        (lambda X, y: arff(X, y).replace("17.99,", "?,", 1), {}, "'?'"),
        (arff, {"name": "breast-w"}, "'breast-w' instead of 'wdbc'"),
        (arff, {"target": "diagnosis"}, "no attribute 'diagnosis'"),
        (lambda X, y: "<html></html>", {}, "no @data section"),
    ],
)
def test_another_table(wdbc, openml, tmp_path, make, about, words):
    openml.add(1510, **{"name": "wdbc", "arff": make(*wdbc), **about})
    assert words in refused(openml, DatasetCorruptError, tmp_path)


def test_a_bad_download_replaces_nothing(wdbc, openml, tmp_path):
    path = tmp_path / "wdbc.csv.gz"
    path.write_bytes(b"half a file")
    with pytest.raises(DatasetCorruptError, match=str(path)):
        fetched(openml, tmp_path, arff(wdbc[0] + 1, wdbc[1]))
    assert path.read_bytes() == b"half a file"


# --- the network


def test_a_download_that_lost_its_end(wdbc, openml, tmp_path):
    whole = arff(*wdbc)
    openml.add(1510, "wdbc", whole[:-100], md5_of=whole)
    assert "incomplete or altered" in refused(openml, DatasetDownloadError, tmp_path)
    openml.withheld = 3  # a connection that breaks
    assert "Cannot download" in refused(openml, DatasetDownloadError, tmp_path)


def test_no_server_and_no_address(tmp_path):
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        base_url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        message = r"Cannot download .*: ConnectionError\. Check the connection"
        with pytest.raises(DatasetDownloadError, match=message) as raised:
            fetch_dataset("sonar", data_home=tmp_path, base_url=base_url)
    assert isinstance(raised.value, OSError)
    assert "\n" not in str(raised.value)
    with pytest.raises(DatasetDownloadError, match="Cannot download nowhere/api"):
        fetch_dataset("sonar", data_home=tmp_path, base_url="nowhere")
    assert not list(tmp_path.iterdir())


# --- sets without a public home


def test_where_to_get_the_others(openml, tmp_path):
    for name in ("chen", "colon", "eeg"):
        message = refused(openml, DatasetNotFoundError, tmp_path, name)
        info = dataset_info(name)
        assert info.found_at in message
        assert str(tmp_path / info.file.name) in message
    assert "not available" in refused(openml, DatasetNotFoundError, tmp_path, "tipspam")
    assert openml.asked == []
