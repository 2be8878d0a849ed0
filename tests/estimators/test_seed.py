import numpy as np

from bicneuron._shared._estimators import draw_seed


def test_an_integer_is_its_own_seed_and_a_random_state_is_asked():
    assert draw_seed(5) == draw_seed(np.int64(5)) == 5
    random_state = np.random.RandomState(0)
    first, second = draw_seed(random_state), draw_seed(random_state)
    assert first == draw_seed(np.random.RandomState(0))
    assert first != second
