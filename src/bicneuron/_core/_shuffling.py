"""Random orders for kernels: those of numpy's default generator, without a call from Python each.

`numpy.random.SeedSequence`, `PCG64` and the shuffling of `Generator.permuted`, bit for bit. Numbers
are held in words of 32 bits, each in a uint64, so that no product overflows.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bicneuron._core._arrays import IndexArray
from bicneuron._core._jit import kernel

# Words, the low one first: four of the state, four of the increment; then the half of the last
# number that is left, and whether there is one.
Generator: TypeAlias = npt.NDArray[np.uint64]

WORD = np.uint64(32)
FULL = np.uint64(0xFFFFFFFF)
ZERO, ONE = np.uint64(0), np.uint64(1)

# Of SeedSequence: where its hashes start, what they are multiplied by, and how two are mixed.
START_IN, TIMES_IN = np.uint64(0x43B0D7E5), np.uint64(0x931E8875)
START_OUT, TIMES_OUT = np.uint64(0x8B51F9DD), np.uint64(0x58F38DED)
TIMES_LEFT, TIMES_RIGHT = np.uint64(0xCA01F9DD), np.uint64(0x4973F715)
HALF_WORD = np.uint64(16)

# Of PCG64.
MULTIPLIER = np.array([0x9FCCF645, 0x4385DF64, 0x1FC65DA4, 0x2360ED05], np.uint64)
LARGEST_SHIFT, SHIFT_BITS = np.uint64(63), np.uint64(58)


@kernel
def generator_of(seed: np.uint64) -> Generator:
    """Generator with the state of ``numpy.random.PCG64(seed)``."""
    pool = np.zeros(4, np.uint64)
    pool[0], pool[1] = seed & FULL, seed >> WORD
    factor = START_IN
    for k in range(4):
        pool[k] = hashed(pool[k], factor, TIMES_IN)
        factor = factor * TIMES_IN & FULL
    for source in range(4):
        for target in range(4):
            if target != source:
                other = hashed(pool[source], factor, TIMES_IN) * TIMES_RIGHT & FULL
                factor = factor * TIMES_IN & FULL
                mixed = (pool[target] * TIMES_LEFT & FULL) + FULL + ONE - other & FULL
                pool[target] = mixed ^ mixed >> HALF_WORD
    words = np.empty(8, np.uint64)
    factor = START_OUT
    for k in range(8):
        words[k ^ 2] = hashed(pool[k % 4], factor, TIMES_OUT)  # the high half of a number is first
        factor = factor * TIMES_OUT & FULL
    generator = np.zeros(10, np.uint64)
    carry = ONE
    for k in range(4):  # the increment is an odd number: twice the second one of the words, plus 1
        doubled = words[4 + k] + words[4 + k] + carry
        generator[4 + k], carry = doubled & FULL, doubled >> WORD
    advance(generator)
    carry = ZERO
    for k in range(4):
        total = generator[k] + words[k] + carry
        generator[k], carry = total & FULL, total >> WORD
    advance(generator)
    return generator


@kernel
def hashed(word: np.uint64, factor: np.uint64, times: np.uint64) -> np.uint64:
    """Hash of a word by SeedSequence, whose factor is multiplied at every use."""
    word = (word ^ factor) * (factor * times & FULL) & FULL
    return word ^ word >> HALF_WORD


@kernel
def advance(generator: Generator) -> None:
    """Next state: the last one times `MULTIPLIER`, plus the increment, modulo 2**128."""
    a, b, c, d = generator[0], generator[1], generator[2], generator[3]
    carry = ZERO
    for k in range(4):
        low = generator[4 + k] + carry
        carry = ZERO
        for word, other in ((a, k), (b, k - 1), (c, k - 2), (d, k - 3)):
            if other >= 0:
                product = word * MULTIPLIER[other]
                low += product & FULL
                carry += product >> WORD
        generator[k] = low & FULL
        carry += low >> WORD


@kernel
def next_word(generator: Generator) -> np.uint64:
    """32 random bits: the low half of a new number, then its high half."""
    if generator[9] == ONE:
        generator[9] = ZERO
        word: np.uint64 = generator[8]
        return word
    advance(generator)
    low, high = generator[0] | generator[1] << WORD, generator[2] | generator[3] << WORD
    shift = high >> SHIFT_BITS
    bits: np.uint64 = high ^ low
    bits = bits >> shift | bits << (LARGEST_SHIFT + ONE - shift & LARGEST_SHIFT)
    generator[8], generator[9] = bits >> WORD, ONE
    return bits & FULL


@kernel
def shuffle(order: IndexArray, generator: Generator) -> None:
    """Bring ``order``, in place, into an order that `Generator.permuted` would give it."""
    mask = FULL
    for i in range(len(order) - 1, 0, -1):
        last = np.uint64(i)
        while mask >> ONE >= last:
            mask >>= ONE
        j = next_word(generator) & mask
        while j > last:  # so that all positions are equally likely
            j = next_word(generator) & mask
        order[i], order[j] = order[j], order[i]
