"""Rows that can prove nothing get an answer in words, and no claim."""

import numpy as np
import pandas as pd
import pytest

from bicneuron.cli import main


def noise(n_rows, **columns):
    X = np.random.default_rng(0).normal(size=(n_rows, 12)).round(4)
    return pd.DataFrame(X, columns=[f"g{j}" for j in range(12)]).assign(**columns)


KINDS = np.arange(40) % 2
TABLES = {
    "one stem": (noise(40, kind=KINDS, sample=[f"sample_{i}" for i in range(40)]), 0),
    "3,000 identical rows": (noise(1).loc[[0] * 3000].assign(kind=np.arange(3000) % 2), 2),
}


@pytest.mark.parametrize(("frame", "code"), TABLES.values(), ids=TABLES)
def test_find_claims_nothing(capsys, tmp_path, frame, code):
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ["find", tmp_path / "t.csv", "--target", "kind", "--jobs", "1"]
    words += ["-o", tmp_path / "p.json"]
    assert main([*map(str, words)]) == code
    printed = capsys.readouterr()
    assert "not chance" not in printed.out
    assert "stem" not in printed.err
    assert printed.out if code == 0 else "error: " in printed.err
