"""Groups hidden in made-up and real tables, beside other ways to find them."""

from studies._study import Study
from studies.discovery.report import describe
from studies.discovery.runs import plan
from studies.discovery.summary import summarise

STUDY = Study("discovery", plan, summarise, describe)
