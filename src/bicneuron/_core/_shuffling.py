"""Random orders inside kernels, equal to those of numpy's default generator.

Reimplements `numpy.random.SeedSequence`, `PCG64` and `Generator.permuted` bit for bit. Numbers are
split into words of 32 bits, each in a uint64, so that no product overflows.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bicneuron._core._arrays import IndexArray
from bicneuron._core._jit import kernel

# Ten words: four of the state and four of the increment, the low word first; then the unused half
# of the last number, and 1 if there is one.
Generator: TypeAlias = npt.NDArray[np.uint64]

WORD_BITS = np.uint64(32)
MASK = np.uint64(0xFFFFFFFF)
ZERO, ONE = np.uint64(0), np.uint64(1)

# Constants of SeedSequence: start and multiplier of the hashes of the input and of the output, and
# the multipliers of the mixing.
START_IN, TIMES_IN = np.uint64(0x43B0D7E5), np.uint64(0x931E8875)
START_OUT, TIMES_OUT = np.uint64(0x8B51F9DD), np.uint64(0x58F38DED)
TIMES_LEFT, TIMES_RIGHT = np.uint64(0xCA01F9DD), np.uint64(0x4973F715)
HALF_WORD = np.uint64(16)

# Constants of PCG64.
MULTIPLIER = np.array([0x9FCCF645, 0x4385DF64, 0x1FC65DA4, 0x2360ED05], np.uint64)
LARGEST_SHIFT, SHIFT_BITS = np.uint64(63), np.uint64(58)


@kernel
def generator_of(seed: np.uint64) -> Generator:
    """Generator with the state of ``numpy.random.PCG64(seed)``."""
    pool = np.zeros(4, np.uint64)
    pool[0], pool[1] = seed & MASK, seed >> WORD_BITS
    factor = START_IN
    for k in range(4):
        pool[k] = hashed(pool[k], factor, TIMES_IN)
        factor = factor * TIMES_IN & MASK
    for source in range(4):
        for target in range(4):
            if target != source:
                other = hashed(pool[source], factor, TIMES_IN) * TIMES_RIGHT & MASK
                factor = factor * TIMES_IN & MASK
                mixed = (pool[target] * TIMES_LEFT & MASK) + MASK + ONE - other & MASK
                pool[target] = mixed ^ mixed >> HALF_WORD
    words = np.empty(8, np.uint64)
    factor = START_OUT
    for k in range(8):
        words[k ^ 2] = hashed(pool[k % 4], factor, TIMES_OUT)  # a number comes high half first
        factor = factor * TIMES_OUT & MASK
    generator = np.zeros(10, np.uint64)
    carry = ONE
    for k in range(4):  # the increment is twice the second number plus 1, so it is odd
        doubled = words[4 + k] + words[4 + k] + carry
        generator[4 + k], carry = doubled & MASK, doubled >> WORD_BITS
    advance(generator)
    carry = ZERO
    for k in range(4):
        total = generator[k] + words[k] + carry
        generator[k], carry = total & MASK, total >> WORD_BITS
    advance(generator)
    return generator


@kernel
def hashed(word: np.uint64, factor: np.uint64, times: np.uint64) -> np.uint64:
    """Hash a word as SeedSequence does; the caller multiplies ``factor`` after each use."""
    word = (word ^ factor) * (factor * times & MASK) & MASK
    return word ^ word >> HALF_WORD


@kernel
def advance(generator: Generator) -> None:
    """Advance the state: times `MULTIPLIER`, plus the increment, modulo 2**128."""
    a, b, c, d = generator[0], generator[1], generator[2], generator[3]
    carry = ZERO
    for k in range(4):
        low = generator[4 + k] + carry
        carry = ZERO
        for word, other in ((a, k), (b, k - 1), (c, k - 2), (d, k - 3)):
            if other >= 0:
                product = word * MULTIPLIER[other]
                low += product & MASK
                carry += product >> WORD_BITS
        generator[k] = low & MASK
        carry += low >> WORD_BITS


@kernel
def next_word(generator: Generator) -> np.uint64:
    """The next 32 random bits: the low half of a number, at the next call its high half."""
    if generator[9] == ONE:
        generator[9] = ZERO
        word: np.uint64 = generator[8]
        return word
    advance(generator)
    low, high = generator[0] | generator[1] << WORD_BITS, generator[2] | generator[3] << WORD_BITS
    shift = high >> SHIFT_BITS
    bits: np.uint64 = high ^ low
    bits = bits >> shift | bits << (LARGEST_SHIFT + ONE - shift & LARGEST_SHIFT)
    generator[8], generator[9] = bits >> WORD_BITS, ONE
    return bits & MASK


@kernel
def shuffle(order: IndexArray, generator: Generator) -> None:
    """Shuffle ``order`` in place, as `Generator.permuted` does."""
    mask = MASK
    for i in range(len(order) - 1, 0, -1):
        last = np.uint64(i)
        while mask >> ONE >= last:
            mask >>= ONE
        j = next_word(generator) & mask
        while j > last:  # rejected, so that all positions are equally likely
            j = next_word(generator) & mask
        order[i], order[j] = order[j], order[i]
