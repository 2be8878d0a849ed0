"""AnnData files (HDF5), read in a process of their own.

Files come from anywhere, and some damage makes the HDF5 library crash or run for ever. That must
not take the program along, so another process (``_h5ad_process.py``) reads the file and sends the
columns back.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._names import close_to
from bicneuron.exceptions import TableError
from bicneuron.tables._budget import Budget, read_zip
from bicneuron.tables._sheet import Sheet

# Many times what an intact file takes, also on a busy machine.
_SECONDS, _SECONDS_OF_MB = 60.0, 1.0


def read_h5ad(path: Path, layer: str | None, budget: Budget) -> Sheet:
    """Read features from X or a layer, and row names and annotations from obs."""
    if sys.modules.get("h5py", ...) is None or find_spec("h5py") is None:
        raise ImportError(f"{path} needs h5py: pip install 'bicneuron[omics]'.")
    with TemporaryDirectory() as folder:
        file = path
        if path.suffix.lower() == ".zip":
            file = Path(folder, "table.h5ad")
            file.write_bytes(read_zip(path, budget))
        about, values = _ask(path, file, layer, budget)
    return Sheet(
        about["columns"],
        list(values),
        aside=about["aside"],
        row_names=about["rows"],
        notes=["features: X" if layer is None else f"features: layer {layer!r}"],
    )


def _ask(
    path: Path, file: Path, layer: str | None, budget: Budget
) -> tuple[dict[str, Any], FloatArray]:
    """Let the other process read the file; return its facts, and the columns as rows."""
    request = {"file": str(file), "layer": layer, "n_bytes": budget.left}
    seconds = _SECONDS + _SECONDS_OF_MB * file.stat().st_size / 1e6
    script = Path(__file__).with_name("_h5ad_process.py")
    command = [sys.executable, "-P", str(script), json.dumps(request)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        stream: Any = process.stdout
        clock = Timer(seconds, process.kill)
        clock.start()
        try:
            line = stream.readline()
            about = json.loads(line) if line.endswith(b"\n") else {"damage": "it cannot be read"}
            if "layers" in about:
                raise TableError(
                    f"{path} has no layer {layer!r}.{close_to(str(layer), about['layers'])}"
                )
            if "refused" in about:
                raise TableError(f"{path}{about['refused']}")
            if "too much" in about:
                budget.spend(budget.left + 1)  # refuses it
            values: FloatArray = np.empty(tuple(about.get("shape", (0, 0))))
            n_read = stream.readinto(values.data.cast("B")) if values.size else 0
            if "damage" in about or n_read < values.nbytes:
                damage = about.get("damage", "it cannot be read")
                raise TableError(f"{path} is cut or damaged: {damage}. Copy or save it again.")
        finally:
            clock.cancel()
            process.kill()
    return about, values
