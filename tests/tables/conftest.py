import pytest
from table_files import read


@pytest.fixture
def table_of(tmp_path):
    """Write a file and read it as a table."""

    def read_content(content, name="table.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read(path, **options)

    return read_content
