"""Files that commands write: checked before any work, written whole or not at all."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bicneuron._shared._formats import visible
from bicneuron.cli._answer import plain
from bicneuron.cli._messages import CommandError
from bicneuron.exceptions import ModelFileError, TableError

PAGES = (".html", ".htm")


def check_outputs(
    outputs: Sequence[Path],
    inputs: Sequence[Path | None],
    endings: Sequence[str] = (),
    *,
    force: bool,
    tables: bool = False,
) -> None:
    """Refuse outputs that cannot be written or have none of the endings, before any work."""
    for output in outputs:
        check_free(output, force=force, inputs=inputs)
        if output.suffix.lower() in endings:
            continue
        if not tables:
            raise CommandError(f"{output} must end in {' or '.join(endings)}; name a file with -o.")
        from bicneuron.tables._files import check_writable

        try:
            check_writable(output)
        except TableError as error:
            raise CommandError(
                f"{output} cannot be written: its name must end in "
                f"{', '.join([*endings, '.csv'])}, .tsv (also .gz), .parquet or .xlsx."
            ) from error
    if any(output.suffix.lower() in PAGES for output in outputs):
        from bicneuron._shared._html import check_jinja2
        from bicneuron._shared._plots import check_matplotlib

        check_matplotlib()
        check_jinja2()
    twice = [path for path, n in Counter(path.resolve() for path in outputs).items() if n > 1]
    if twice:
        raise CommandError(f"-o names {twice[0].name} twice; name another file.")


def check_free(path: Path, *, force: bool, inputs: Sequence[Path | None] = ()) -> None:
    """Refuse an output that cannot be written, before any work; symbolic links are followed."""
    if path.is_dir():
        raise CommandError(f"{path} is a folder; name a file with -o.")
    # Names of standard streams, whatever they lead to.
    is_stream = str(path.absolute().parent) in ("/dev", "/dev/fd")
    if path.exists() and (is_stream or not path.is_file()):
        raise CommandError(f"{path} is not a file, and cannot be replaced; name a file with -o.")
    if path.exists():
        if any(given is not None and given.exists() and path.samefile(given) for given in inputs):
            raise CommandError(f"{path} is the input; name another file with -o.")
        if not force:
            raise CommandError(f"{path} exists; choose another name or replace it with --force.")
    folder = Path(os.path.realpath(path) if path.is_symlink() else path).parent
    if not folder.is_dir():
        raise CommandError(f"there is no folder {folder}; make it or name another with -o.")
    if not os.access(folder, os.W_OK):
        raise CommandError(f"nothing can be written to {folder}; name another folder with -o.")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Report a disk that is full or a folder that cannot be written."""
    try:
        yield
    except (FileExistsError, ModelFileError) as error:
        if isinstance(error, ModelFileError) and not isinstance(error.__cause__, FileExistsError):
            raise
        raise CommandError(
            f"{path} was written by another command meanwhile; choose another name or replace it "
            "with --force."
        ) from error
    except OSError as error:
        raise CommandError(
            f"cannot write {path}: {error.strerror or error}. Nothing was written; make room or "
            "name another place with -o."
        ) from error


def write_records(
    output: Path, content: dict[str, Any], *, force: bool, columns: Sequence[str] = ()
) -> None:
    """Write everything as JSON, or the records alone, which come last, as a table."""
    if output.suffix.lower() == ".json":
        from bicneuron._shared._files import write_atomically

        text = json.dumps(plain(content), indent=1, ensure_ascii=False)
        write_atomically(output, f"{visible(text)}\n", overwrite=force)
        return
    import pandas as pd

    from bicneuron.tables import write_table

    # As objects: a column of whole numbers and None stays one.
    *_, records = content.values()
    lines = [{visible(key): _cell(value) for key, value in record.items()} for record in records]
    frame = pd.DataFrame(lines, columns=None if lines else [*columns], dtype=object)
    write_table(frame, output, overwrite=force)


def _cell(value: Any) -> Any:
    """Join lists and dicts to one cell."""
    if isinstance(value, dict):
        value = "; ".join(f"{key}: {inner}" for key, inner in value.items())
    if isinstance(value, list):
        value = "; ".join(f"{v:.4g}" if isinstance(v, float) else str(v) for v in value)
    return visible(value) if isinstance(value, str) else value
