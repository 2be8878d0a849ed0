from ._explanation import ColumnContribution as ColumnContribution
from ._explanation import Explanation as Explanation
from ._explanation import Explanations as Explanations
from ._explanation import PatternContribution as PatternContribution
from ._neuron import Formula as Formula
from ._neuron import ScoredRows as ScoredRows
from ._neuron import formula_of as formula_of
