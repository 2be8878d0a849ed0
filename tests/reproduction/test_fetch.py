"""Downloads from a small OpenML that runs on this machine."""

import json
import socket
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from reproduction.datasets import (
    _registry,
    dataset_info,
    fetch_dataset,
    list_datasets,
    load_dataset,
)
from reproduction.exceptions import (
    DatasetCorruptError,
    DatasetDownloadError,
    DatasetNotFoundError,
    DatasetOrderWarning,
)

WDBC = load_breast_cancer()
DOWNLOADABLE = [name for name in list_datasets() if dataset_info(name).openml_id]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


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


def on_openml(bunch):
    """Data and labels as OpenML has them: its own labels, and all columns."""
    info = bunch.info
    renamed = {label: str(k + 1) for k, (label, _) in enumerate(info.class_counts)}
    extra = np.ones((len(bunch.data), info.openml_skipped))
    return np.hstack([extra, bunch.data]), [renamed[label] for label in bunch.target.tolist()]


@pytest.fixture
def wdbc(monkeypatch):
    """The set that needs no file, as if it were on OpenML: a download without the real files."""
    info = replace(dataset_info("wdbc"), openml_id=1510)
    monkeypatch.setitem(_registry._registry(), "wdbc", info)
    return WDBC.data, ["21"[label] for label in WDBC.target]


# --- what works


def test_a_download_becomes_a_file(wdbc, openml, tmp_path):
    openml.add(1510, "wdbc", arff(*wdbc))
    home = tmp_path / "new" / "folder"
    path = fetch_dataset("wdbc", data_home=home, base_url=openml.base_url + "/")
    assert path == home / "wdbc.csv.gz"
    assert [entry.name for entry in home.iterdir()] == ["wdbc.csv.gz"]
    bunch = load_dataset("wdbc", data_home=home)
    assert bunch.source == "file"
    np.testing.assert_array_equal(bunch.data, WDBC.data)
    np.testing.assert_array_equal(bunch.target == "M", WDBC.target == 0)
    assert bunch.feature_names[:2] == ["feature 0, real", "feature 1, real"]


def test_the_class_may_be_any_column(wdbc, openml, tmp_path):
    openml.add(1510, "WDBC", arff(*wdbc, class_first=True))
    fetch_dataset("wdbc", data_home=tmp_path, base_url=openml.base_url)
    X, y = load_dataset("wdbc", data_home=tmp_path, return_X_y=True)
    np.testing.assert_array_equal(X, WDBC.data)
    np.testing.assert_array_equal(y == "M", WDBC.target == 0)


def test_an_intact_file_is_not_downloaded_again(wdbc, openml, tmp_path):
    openml.add(1510, "wdbc", arff(*wdbc))
    path = fetch_dataset("wdbc", data_home=tmp_path, base_url=openml.base_url)
    written, asked = path.read_bytes(), len(openml.asked)
    assert asked == 2
    assert fetch_dataset("wdbc", data_home=tmp_path, base_url=openml.base_url) == path
    assert len(openml.asked) == asked
    path.write_bytes(written[:-20])
    fetch_dataset("wdbc", data_home=tmp_path, base_url=openml.base_url)
    assert path.read_bytes() == written


def test_the_variable_names_the_folder(wdbc, openml, tmp_path, monkeypatch):
    monkeypatch.setenv("BICNEURON_DATA", str(tmp_path))
    openml.add(1510, "wdbc", arff(*wdbc))
    assert fetch_dataset("wdbc", base_url=openml.base_url) == tmp_path / "wdbc.csv.gz"


@pytest.mark.real_data
@pytest.mark.parametrize("name", DOWNLOADABLE)
def test_registered_sets(name, openml, real_folder, tmp_path):
    registered = load_dataset(name, data_home=real_folder)
    openml.add(registered.info.openml_id, name, arff(*on_openml(registered)))
    fetch_dataset(name, data_home=tmp_path, base_url=openml.base_url)
    fetched = load_dataset(name, data_home=tmp_path)
    np.testing.assert_array_equal(fetched.data, registered.data)
    np.testing.assert_array_equal(fetched.target, registered.target)
    assert (fetched.groups is None) == (registered.groups is None)
    paper = load_dataset(name, data_home=tmp_path, variant="paper")
    np.testing.assert_array_equal(
        paper.data, load_dataset(name, data_home=real_folder, variant="paper").data
    )


@pytest.mark.real_data
def test_a_registered_file_is_left_alone(real_folder, openml):
    assert fetch_dataset("chen", data_home=real_folder) == real_folder / "chen.csv.gz"
    assert fetch_dataset("sonar", data_home=real_folder, base_url=openml.base_url).is_file()
    assert openml.asked == []


# --- another order


def test_another_order_is_written_and_said_aloud(wdbc, openml, tmp_path):
    data, labels = wdbc
    openml.add(1510, "wdbc", arff(data[::-1], labels[::-1]))
    for _ in range(2):  # downloaded, then found
        with pytest.warns(DatasetOrderWarning, match="another order") as caught:
            fetch_dataset("wdbc", data_home=tmp_path, base_url=openml.base_url)
        assert caught[0].filename == __file__
    with pytest.warns(DatasetOrderWarning):
        np.testing.assert_array_equal(
            load_dataset("wdbc", data_home=tmp_path).data, WDBC.data[::-1]
        )


# --- what is refused


def refused(openml, error, home, name="wdbc"):
    """What is said of a download that is not taken; nothing is written."""
    with pytest.raises(error) as raised:
        fetch_dataset(name, data_home=home, base_url=openml.base_url)
    assert not list(home.iterdir())
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_other_values(wdbc, openml, tmp_path):
    data = wdbc[0].copy()
    data[3, 3] += 0.001
    openml.add(1510, "wdbc", arff(data, wdbc[1]))
    message = refused(openml, DatasetCorruptError, tmp_path)
    assert "its values or labels differ" in message
    assert str(tmp_path / "wdbc.csv.gz") in message


def test_labels_of_other_rows(wdbc, openml, tmp_path):
    openml.add(1510, "wdbc", arff(wdbc[0], wdbc[1][::-1]))
    assert "values or labels differ" in refused(openml, DatasetCorruptError, tmp_path)


def test_another_shape(wdbc, openml, tmp_path):
    openml.add(1510, "wdbc", arff(wdbc[0][:, 1:], wdbc[1]))
    message = refused(openml, DatasetCorruptError, tmp_path)
    assert "569 x 29 values instead of 569 x 30" in message


def test_other_class_counts(wdbc, openml, tmp_path):
    openml.add(1510, "wdbc", arff(wdbc[0][1:], wdbc[1][1:]))
    assert "classes of [211, 357] rows" in refused(openml, DatasetCorruptError, tmp_path)
    openml.add(1510, "wdbc", arff(wdbc[0], ["3", *wdbc[1][1:]]))
    assert "classes of [1, 211, 357] rows" in refused(openml, DatasetCorruptError, tmp_path)


def test_missing_values(wdbc, openml, tmp_path):
    openml.add(1510, "wdbc", arff(*wdbc).replace("17.99,", "?,", 1))
    assert "'?'" in refused(openml, DatasetCorruptError, tmp_path)


def test_another_name(wdbc, openml, tmp_path):
    openml.add(1510, "breast-w", arff(*wdbc))
    assert "'breast-w' instead of 'wdbc'" in refused(openml, DatasetCorruptError, tmp_path)


def test_another_target(wdbc, openml, tmp_path):
    openml.add(1510, "wdbc", arff(*wdbc), target="diagnosis")
    assert "no attribute 'diagnosis'" in refused(openml, DatasetCorruptError, tmp_path)


def test_no_table_at_all(wdbc, openml, tmp_path):
    openml.add(1510, "wdbc", "<html></html>")
    assert "no @data section" in refused(openml, DatasetCorruptError, tmp_path)


def test_a_bad_download_replaces_nothing(wdbc, openml, tmp_path):
    path = tmp_path / "wdbc.csv.gz"
    path.write_bytes(b"half a file")
    openml.add(1510, "wdbc", arff(wdbc[0] + 1, wdbc[1]))
    with pytest.raises(DatasetCorruptError):
        fetch_dataset("wdbc", data_home=tmp_path, base_url=openml.base_url)
    assert path.read_bytes() == b"half a file"


# --- the network


def test_a_download_that_lost_its_end(wdbc, openml, tmp_path):
    whole = arff(*wdbc)
    openml.add(1510, "wdbc", whole[:-100], md5_of=whole)
    assert "incomplete or altered" in refused(openml, DatasetDownloadError, tmp_path)


def test_a_connection_that_breaks(openml, tmp_path):
    openml.add(40, "sonar", "@data")
    openml.withheld = 3
    assert "Cannot download" in refused(openml, DatasetDownloadError, tmp_path, "sonar")


def test_404(openml, tmp_path):
    message = refused(openml, DatasetDownloadError, tmp_path, "sonar")
    assert "HTTP 404" in message
    assert f"{openml.base_url}/api/v1/json/data/40" in message


def test_the_description_without_the_file(wdbc, openml, tmp_path):
    openml.add(1510, "wdbc", arff(*wdbc))
    del openml.pages["/data/v1/download/1510000/wdbc.arff"]
    assert "404" in refused(openml, DatasetDownloadError, tmp_path)


@pytest.mark.parametrize("page", [b"", b"<html>", b"[]", b"{}", b'{"data_set_description": {}}'])
def test_no_description(page, openml, tmp_path):
    openml.pages["/api/v1/json/data/40"] = page
    assert "does not describe" in refused(openml, DatasetDownloadError, tmp_path, "sonar")


def test_no_server(tmp_path):
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        base_url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(
            DatasetDownloadError,
            match=r"Cannot download .*: ConnectionError\. Check the connection",
        ) as raised:
            fetch_dataset("sonar", data_home=tmp_path, base_url=base_url)
    assert isinstance(raised.value, OSError)
    assert "\n" not in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_no_address(tmp_path):
    with pytest.raises(DatasetDownloadError, match="Cannot download nowhere/api"):
        fetch_dataset("sonar", data_home=tmp_path, base_url="nowhere")


def test_a_folder_that_cannot_be(wdbc, openml, tmp_path):
    (tmp_path / "file").touch()
    openml.add(1510, "wdbc", arff(*wdbc))
    with pytest.raises(OSError, match=r"Cannot write .* as data_home") as raised:
        fetch_dataset("wdbc", data_home=tmp_path / "file", base_url=openml.base_url)
    assert "\n" not in str(raised.value)


def test_without_requests(openml, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "requests", None)
    assert "pip install requests" in refused(openml, ImportError, tmp_path, "sonar")


# --- sets without a public home


@pytest.mark.parametrize(
    "name",
    [name for name in list_datasets() if name not in DOWNLOADABLE and name != "tipspam"],
)
def test_where_to_get_the_others(name, openml, tmp_path):
    message = refused(openml, DatasetNotFoundError, tmp_path, name)
    info = dataset_info(name)
    assert info.found_at in message
    assert str(tmp_path / info.file.name) in message
    assert openml.asked == []


def test_tipspam_is_nowhere(openml, tmp_path):
    assert "not available" in refused(openml, DatasetNotFoundError, tmp_path, "tipspam")


def test_unknown_names():
    with pytest.raises(ValueError, match="name='moons' is not a data set"):
        fetch_dataset("moons")
