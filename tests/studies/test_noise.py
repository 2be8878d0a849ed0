"""What is shown of wrong labels."""

from fold_records import make_fold

from studies._study import write_study
from studies.noise import METHODS, PROTOCOLS, STUDY


def test_losses_are_those_against_no_noise(tmp_path):
    losses = {"network": 0.0, "noise-10": 0.125, "noise-20": 0.25, "noise-30": 0.375}
    records = [
        make_fold(protocol.name, dataset, model.name, 0, acc - losses[protocol.name], 0.5)
        for protocol in PROTOCOLS
        for dataset, acc in (("chen", 0.75), ("wdbc", 1.0))
        for model in METHODS
    ]
    markdown, table, plot = write_study(STUDY, records, tmp_path)
    text = markdown.read_text()
    assert "| model | 0% | 10% | 20% | 30% |" in text
    for model in METHODS:
        assert (
            f"| {model.name} | 0.875 | 0.750 (-0.125) | 0.625 (-0.250) | 0.500 (-0.375) |" in text
        )
    assert "over 2 data sets" in text
    assert len(table.read_text().splitlines()) == 1 + len(records)
    assert plot.name == "noise.svg"
    assert all(model.name in plot.read_text() for model in METHODS)
