"""What the study shows, as Markdown."""

from collections.abc import Sequence

from studies.calibration.carriers import describe_carriers
from studies.calibration.group import describe_group
from studies.calibration.null import describe_null
from studies.calibration.power import describe_power
from studies.calibration.runs import N_PERMUTATIONS
from studies.calibration.summary import CalibrationRow


def describe_calibration(rows: Sequence[CalibrationRow]) -> str:
    """Write all sections for which there are rows."""
    return "\n".join(
        [
            "# Is the significance test calibrated?",
            "",
            f'`significance_test` with `method="blind"` and {N_PERMUTATIONS["blind"]} orders of',
            'the labels, and last with `method="group"`, of what `SubgroupBiclustering` finds with',
            "its defaults.",
            *describe_null(rows),
            *describe_power(rows),
            *describe_carriers(),
            *describe_group(rows),
            "",
        ]
    )
