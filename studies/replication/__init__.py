"""Patterns in a second cohort: the level and the power of `replicate`, and three real cohorts."""

from studies._study import Study
from studies.replication.report import describe, plot
from studies.replication.runs import plan
from studies.replication.summary import summarise

STUDY = Study("replication", plan, summarise, describe, plot)
