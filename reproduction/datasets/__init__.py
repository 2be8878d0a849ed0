"""The data sets of the paper."""

from reproduction.datasets._eeg import WaveletFeatures
from reproduction.datasets._fetch import fetch_dataset
from reproduction.datasets._load import load_dataset
from reproduction.datasets._registry import DatasetInfo, dataset_info, get_data_home, list_datasets

__all__ = [
    "DatasetInfo",
    "WaveletFeatures",
    "dataset_info",
    "fetch_dataset",
    "get_data_home",
    "list_datasets",
    "load_dataset",
]
