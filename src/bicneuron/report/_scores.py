"""Cross-validated scores of a model, as plain data for a page."""

from typing import Any

from bicneuron.metrics import CrossValidatedScores, cross_validated_scores

MEASURES = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy (label AUC)",
    "roc_auc": "Area under the ROC curve (score AUC)",
}


def cross_validated(model: Any, X: Any, y: Any) -> dict[str, Any]:
    """Scores of copies of a fitted model, or the ``reason`` why there are none."""
    try:
        return described(cross_validated_scores(model, X, y))
    except ValueError as error:
        return {"reason": f"The model could not be scored: {error}"}


def described(scores: CrossValidatedScores) -> dict[str, Any]:
    """Scores in the order and the words of the page."""
    return {
        "reason": None,
        "scores": scores,
        "measures": [
            {"name": words, "model": scores.model[name], "rival": scores.logistic_regression[name]}
            for name, words in MEASURES.items()
            if name in scores.model
        ],
    }
