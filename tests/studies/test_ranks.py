"""Mean ranks over the data sets of a reproduction."""

from studies.ranks import describe_ranks


def fold(dataset, model, acc, protocol="clean"):
    return {"dataset": dataset, "model": model, "protocol": protocol, "acc": str(acc)}


def test_models_are_ranked_by_their_means_over_folds():
    folds = [
        fold(dataset, model, acc)
        for dataset in ("colon", "wdbc", "sonar", "parkinsons", "ringnorm", "twonorm")
        for model, accs in (("SP", (0.5, 0.8)), ("BN_CV", (0.7, 0.7)))
        for acc in accs
    ]
    folds += [fold("colon", "SP", 1.0, "paper"), fold("eeg-A-B", "SP", 1.0)]
    text = describe_ranks(folds, "acc")
    assert "acc over 6 data sets" in text
    assert "| BN_CV | 1.00 |" in text
    assert "| SP | 2.00 |" in text
    assert "| BN_CV against SP | 0.0312 | 0.0312 |" in text


def test_models_that_lack_a_data_set_are_left_out():
    folds = [fold("colon", "SP", 0.5), fold("colon", "BN", 0.6), fold("wdbc", "SP", 0.5)]
    assert "No two models" in describe_ranks(folds, "acc")
