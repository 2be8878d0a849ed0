"""Cross-validated scores of a model, as plain data for a page."""

from typing import Any

from bicneuron.metrics import CrossValidatedScores, RowsLeftOut, cross_validated_scores

MEASURES = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "roc_auc": "Area under the ROC curve",
}


def cross_validated(model: Any, X: Any, y: Any) -> dict[str, Any]:
    """Scores of copies of a fitted model, or the ``reason`` why there are none."""
    try:
        return described(cross_validated_scores(model, X, y))
    except ValueError as error:
        return not_scored(f"The model could not be scored: {error}")


def not_scored(reason: str) -> dict[str, Any]:
    """Why there are no scores."""
    return {"reason": reason, "left_out": None, "told": None}


def described(scores: CrossValidatedScores) -> dict[str, Any]:
    """Scores in the order and the words of the page."""
    return {
        "reason": None,
        "scores": scores,
        "left_out": scores.left_out,
        "told": None if scores.left_out is None else _told(scores.left_out),
        "is_chance": scores.model["balanced_accuracy"].low <= scores.majority_balanced_accuracy,
        "is_worse": scores.difference.high < 0,
        "measures": [
            {"name": words, "model": scores.model[name], "rival": scores.logistic_regression[name]}
            for name, words in MEASURES.items()
            if name in scores.model
        ],
    }


def _told(rows: RowsLeftOut) -> dict[str, Any]:
    """What was said about rows that were left out."""
    classes = rows.class_scores
    interest = next(told for told in classes if told.label == rows.of_interest)
    named = [told for told in classes if told.precision.total]
    return {
        "n_rows": len(rows.y),
        "labels": [str(label) for label in rows.classes],
        "accuracy": rows.accuracy,
        "balanced_accuracy": rows.balanced_accuracy,
        "classes": classes,
        "interest": interest,
        "others": [told for told in classes if told is not interest],
        "only": named[0].label if len(named) == 1 else None,
        "rare": [told for told in classes if told.is_rare],
        "confusion": rows.confusion.tolist(),
        "roc_auc": rows.roc_auc,
        "calibration": rows.calibration(interest.label),
    }
