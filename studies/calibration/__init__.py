"""The level and the power of the significance test, on noise and on planted groups."""

from studies._study import Study
from studies.calibration.report import describe, plot
from studies.calibration.runs import plan
from studies.calibration.summary import summarise

STUDY = Study("calibration", plan, summarise, describe, plot)
