import pytest

from bicneuron.tables import read_table


@pytest.fixture
def table_of(tmp_path):
    """Write a file and read it as a table."""

    def read(content, name="table.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_table(path, **options)

    return read
