"""A few patterns beside rivals that use as many columns."""

from studies._study import Study
from studies.small.report import describe, plot
from studies.small.runs import plan
from studies.small.summary import summarise

STUDY = Study("small", plan, summarise, describe, plot)
