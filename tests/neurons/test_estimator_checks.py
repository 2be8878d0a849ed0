from sklearn.utils.estimator_checks import parametrize_with_checks

from bicneuron.neurons import KernelPerceptron, OnlinePerceptron


@parametrize_with_checks(
    [
        OnlinePerceptron(),
        OnlinePerceptron(average=True, tie="negative", shuffle=False),
        KernelPerceptron(),
        KernelPerceptron(kernel="linear", average=True),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
