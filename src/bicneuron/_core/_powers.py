"""Powers of two in a few operations, so that a loop over them is vectorised.

A power is split into its nearest integer and a fraction. The power of the fraction is a polynomial,
and the integer is added to the exponent of the result, among its bits.
"""

from math import factorial, log

import numpy as np

from bicneuron._core._jit import fused_kernel

# In single precision: the polynomial of degree 5 with the least relative error, 6e-8.
P0, P1, P2, P3, P4, P5 = map(
    np.float32, (1.00000006, 0.69314703, 0.24022161, 0.05550678, 0.00967395, 0.00132899)
)
# A number plus this is rounded to an integer, which its last bits hold.
ROUNDING_32, ROUNDING = np.float32(1.5 * 2**23), 1.5 * 2**52
FRACTION_BITS_32, FRACTION_BITS = np.int32(23), np.int64(52)
# The smallest powers that are normal numbers: less is as good as zero.
LEAST_32, LEAST = np.float32(-126), -1022.0
# In double precision: the Taylor series.
T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12 = (
    log(2) ** k / factorial(k) for k in range(1, 13)
)


@fused_kernel
def power_of_two_32(power: np.float32) -> np.float32:
    """``2**power`` for powers up to 0, within 3e-7 of its value; about 2**-126 if NaN or less."""
    power = power if power > LEAST_32 else LEAST_32
    shifted = np.float32(power + ROUNDING_32)
    f = power - (shifted - ROUNDING_32)
    fraction = np.float32(P0 + f * (P1 + f * (P2 + f * (P3 + f * (P4 + f * P5)))))
    bits = fraction.view(np.int32) + (shifted.view(np.int32) << FRACTION_BITS_32)
    return np.int32(bits).view(np.float32)


@fused_kernel
def power_of_two(power: float) -> float:
    """``2**power`` for powers up to 0, within 1e-15 of its value; 2**-1022 if NaN or less."""
    power = power if power > LEAST else LEAST
    shifted = np.float64(power + ROUNDING)
    f = power - (shifted - ROUNDING)
    tail = T7 + f * (T8 + f * (T9 + f * (T10 + f * (T11 + f * T12))))
    head = T1 + f * (T2 + f * (T3 + f * (T4 + f * (T5 + f * (T6 + f * tail)))))
    fraction = np.float64(1.0 + f * head)
    bits = fraction.view(np.int64) + (shifted.view(np.int64) << FRACTION_BITS)
    return np.int64(bits).view(np.float64)
