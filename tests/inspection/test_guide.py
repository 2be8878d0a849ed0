"""The code of the guide to the plots runs as it stands."""

import re
from pathlib import Path

import matplotlib.pyplot as plt

from bicneuron import inspection

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "plots.md"


def test_the_guide_draws_every_display():
    blocks = re.findall(
        r"^```python\n(.*?)^```", GUIDE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    code = "\n".join(blocks)
    assert all(f"{name}.from_" in code for name in inspection.__all__)
    exec(compile(code, str(GUIDE), "exec"), {})
    assert len(plt.get_fignums()) >= len(inspection.__all__)
