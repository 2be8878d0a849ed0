"""The encoder of tables before a model, as an entry of its own: it is read before the model is."""

from typing import Any

from sklearn.pipeline import Pipeline

from bicneuron.exceptions import ModelFileError, TableError
from bicneuron.tables import TableEncoder
from bicneuron.tables._encoding import Encoding


def record_of(encoder: TableEncoder, pipeline: Pipeline) -> dict[str, Any]:
    """The encoder that a pipeline begins with, as values that JSON can hold."""
    parameters = {
        name: value if isinstance(value, str | bool | None) else list(value)
        for name, value in encoder.get_params().items()
    }
    names = [name for name, _ in pipeline.steps]
    return {
        "names": names if len(names) == 2 else names[:1],
        "parameters": parameters,
        "has_names": hasattr(encoder, "feature_names_in_"),
        "encoding": encoder.encoding_.to_json(),
    }


def joined(record: Any, model: Any) -> Pipeline:
    """The pipeline of an encoder and a model that were read; refuse what does not fit together."""
    try:
        encoding = Encoding.from_json(record["encoding"])
        parameters = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in record["parameters"].items()
        }
        encoder = TableEncoder.of(encoding, has_names=record["has_names"])
        encoder.set_params(**parameters)
        encoder._validate_params()
        name, *last = record["names"]
    except (AttributeError, KeyError, TypeError, ValueError, TableError) as error:
        raise ModelFileError(f"is damaged: its table encoder is none ({error}).") from error
    made = [*(encoding.features or ())]
    taken = getattr(model, "feature_names_in_", None)  # a model of arrays has no names
    if len(made) != model.n_features_in_ or (taken is not None and taken.tolist() != made):
        raise ModelFileError("is damaged: its table encoder makes other features than it takes.")
    rest = [(last[0], model)] if last else model.steps
    return Pipeline([(name, encoder), *rest])
