"""Made-up records of folds, for the tests of tables and reports."""

from dataclasses import replace

from reproduction._published import load_published
from reproduction._records import FoldRecord


def make_fold(protocol, dataset, model, fold, acc, label_auc, **changes):
    """One fold of a BicNeuron."""
    fold = FoldRecord(
        protocol=protocol,
        dataset=dataset,
        model=model,
        fold=fold,
        acc=acc,
        acc_minority=0.5,
        acc_majority=0.5,
        label_auc=label_auc,
        score_auc=0.5,
        brier=None,
        fallback=False,
        row_share=None,
        column_share=None,
        inner_score=0.5,
        params={},
        n_train=9,
        n_test=1,
        warned=[],
        seconds=0.0,
        settings={},
        versions={},
    )
    return replace(fold, **changes)


def make_run(dataset, model, protocol, values, **changes):
    """Records of one run whose accuracy in fold f is ``values[f]``; the others follow from it."""
    return [
        {
            "dataset": dataset,
            "model": model,
            "protocol": protocol,
            "fold": fold,
            "acc": acc,
            "acc_minority": acc / 2,
            "acc_majority": acc,
            "label_auc": 3 * acc / 4,
            "score_auc": acc,
            "fallback": fold == 0 if model.startswith("BN") else None,
            "seconds": 1.5,
            **changes,
        }
        for fold, acc in enumerate(values)
    ]


def make_report_records():
    """Both protocols, sets and EEG pairs, the paper's models and a rival; printed ACC copied."""
    published = load_published()
    records = []
    for dataset in ("colon", "sonar", "wdbc", "eeg-A-B"):
        for shift, model in enumerate(("SP", "KP_L", "BN")):
            printed = published[dataset, model, "acc"]
            records += make_run(dataset, model, "paper", printed.folds or [printed.mean] * 10)
            records += make_run(
                dataset, model, "clean", [0.5 + 0.01 * (f + shift) for f in range(5)]
            )
        for model, acc in (("BN_CV", 0.8), ("LogisticRegression", 0.9)):
            records += make_run(dataset, model, "clean", [acc, acc, acc, acc, 0.7])
    return records
