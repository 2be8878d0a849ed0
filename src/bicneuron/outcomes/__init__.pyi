from ._effect import Effect as Effect
from ._kind import are_numbers as are_numbers
from ._outcome import Numbers as Numbers
from ._outcome import Outcome as Outcome
from ._outcome import Scores as Scores
from ._outcome import Survival as Survival
from ._read import as_outcome as as_outcome
