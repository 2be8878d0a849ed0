"""Statistics of wavelet coefficients, for EEG and other signals."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._checks import check_numbers
from bicneuron._shared._compat import Interval, fit_context
from bicneuron._shared._version import import_extra

_STATISTICS: dict[str, Callable[..., FloatArray]] = {
    "max": np.max,
    "min": np.min,
    "mean": np.mean,
    "std": np.std,
}


@dataclass(kw_only=True, eq=False, repr=False)
class WaveletFeatures(TransformerMixin, BaseEstimator):
    """Describe each signal by statistics of its discrete wavelet coefficients.

    The paper derives 40 features from an EEG segment of 4097 samples by the Daubechies wavelet of
    order 4. The defaults give 40: nine bands of details and the approximation, by four statistics
    (the paper does not name them).

    Parameters
    ----------
    wavelet : str, default="db4"
        Name of a discrete wavelet, see ``pywt.wavelist(kind="discrete")``. Signals are extended by
        reflection at their ends.
    level : int, default=None
        Number of detail bands. None: as many as the length of the signals allows, which is none
        for short ones; then the only band is the signal itself.
    statistics : tuple of {"max", "min", "mean", "std"}, \
            default=("max", "min", "mean", "std")
        What is computed for each band; "std" divides by the number of coefficients.

    Attributes
    ----------
    level_ : int
        Number of detail bands.
    n_features_in_ : int
        Samples of a signal.
    feature_names_in_ : array of str, if the input has column names

    Notes
    -----
    The features of a signal are those of the approximation (A), then of the details from coarse
    (the highest number) to fine (D1), each in the order of ``statistics``. Signals are
    transformed independently: only their length is learned.

    Examples
    --------
    >>> import numpy as np
    >>> from reproduction.datasets import WaveletFeatures
    >>> signals = np.sin(np.outer([1, 2, 3], np.linspace(0, 100, 4097)))
    >>> features = WaveletFeatures()
    >>> features.fit_transform(signals).shape
    (3, 40)
    >>> features.get_feature_names_out()[:5].tolist()
    ['A9_max', 'A9_min', 'A9_mean', 'A9_std', 'D9_max']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "wavelet": [str],
        "level": [Interval(Integral, 0, None, closed="left"), None],
        "statistics": [tuple, list],
    }

    wavelet: str = "db4"
    level: int | None = None
    statistics: tuple[str, ...] = ("max", "min", "mean", "std")

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: npt.ArrayLike, y: None = None) -> Self:
        """Work out the number of bands from the length of the signals, one in each row."""
        n_samples = check_numbers(self, X).shape[1]
        if not self.statistics or not set(self.statistics) <= set(_STATISTICS):
            raise ValueError(
                f"statistics must name one or more of {', '.join(_STATISTICS)}; got "
                f"{self.statistics!r}."
            )
        deepest = self._deepest_level(n_samples)
        if self.level is not None and self.level > deepest:
            raise ValueError(
                f"level={self.level} is too deep for signals of {n_samples} samples: at most "
                f"{deepest} with wavelet={self.wavelet!r}."
            )
        self.level_ = deepest if self.level is None else self.level
        return self

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Compute the features of signals of the length seen in `fit`."""
        check_is_fitted(self)
        X = check_numbers(self, X, reset=False)
        bands = _pywt().wavedec(X, self.wavelet, level=self.level_, axis=1)
        return np.column_stack(
            [_STATISTICS[name](band, axis=1) for band in bands for name in self.statistics]
        )

    def get_feature_names_out(self, input_features: npt.ArrayLike | None = None) -> AnyArray:
        """Name the features: the band (A9, D9, ..., D1 for nine levels) and the statistic."""
        check_is_fitted(self)
        bands = [f"A{self.level_}", *(f"D{k}" for k in range(self.level_, 0, -1))]
        names = [f"{band}_{name}" for band in bands for name in self.statistics]
        return np.array(names, dtype=object)

    def _deepest_level(self, n_samples: int) -> int:
        pywt = _pywt()
        if self.wavelet not in pywt.wavelist(kind="discrete"):
            raise ValueError(
                f"wavelet={self.wavelet!r} is not a discrete wavelet of PyWavelets; see "
                'pywt.wavelist(kind="discrete").'
            )
        return int(pywt.dwt_max_level(n_samples, pywt.Wavelet(self.wavelet).dec_len))


def _pywt() -> Any:
    return import_extra("pywt", "WaveletFeatures needs PyWavelets: pip install PyWavelets.")
