"""Folders with and without data files."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def real_folder():
    """The folder with the registered files."""
    folder = os.environ.get("BICNEURON_DATA")
    if not folder:
        pytest.skip("BICNEURON_DATA names no data folder")
    return Path(folder)


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    """Neither BICNEURON_DATA nor the cache has a file; returns the (missing) cache folder."""
    monkeypatch.delenv("BICNEURON_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "bicneuron"


@pytest.fixture
def no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
