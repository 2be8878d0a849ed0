"""Information that leaks to a model, by protocol and data set."""

from bicneuron.reproduction._problems import is_eeg

_OF_PROTOCOL = {
    "paper": (
        "scaled over the whole set, test rows included",
        "training rows in a fixed order, never shuffled",
    )
}
_OF_DATASET = {
    ("paper", "sonar"): ("the row index is a feature, in a file sorted by class",),
    ("paper", "wdbc"): ("the patient id is a feature",),
}
_PERSONS = ("recordings of one person on both sides of a fold",)


def leaks_of_protocol(protocol: str) -> tuple[str, ...]:
    """Leaks on every data set under this protocol (an order that hurts counts as one)."""
    return _OF_PROTOCOL.get(protocol, ())


def leaks_of_dataset(protocol: str, dataset: str) -> tuple[str, ...]:
    """Leaks on this data set beyond those of the whole protocol.

    Examples
    --------
    >>> from bicneuron.reproduction._leaks import leaks_of_dataset
    >>> leaks_of_dataset("paper", "wdbc"), leaks_of_dataset("clean", "wdbc")
    (('the patient id is a feature',), ())
    """
    # The persons of the EEG signals are not published, so no protocol can keep them together.
    is_shared = is_eeg(dataset) or (dataset in ("lsvt", "parkinsons") and protocol != "grouped")
    return _OF_DATASET.get((protocol, dataset), ()) + (_PERSONS if is_shared else ())
