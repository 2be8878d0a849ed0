"""What can go wrong with data sets, folds and records."""


class DatasetNotFoundError(FileNotFoundError):
    """No file of the data set was found, and it cannot be generated."""


class DatasetCorruptError(ValueError):
    """A file is truncated or altered, or has other data than the registry says."""


class DatasetDownloadError(OSError):
    """The server could not be reached, or did not send the file."""


class DatasetOrderWarning(UserWarning):
    """The rows are the registered ones in another order: folds differ, subjects are not known."""


class ExperimentError(ValueError):
    """An experiment cannot be run as asked; one line says why and what to do."""


class FailedFoldError(ExperimentError):
    """A fold could not be computed; finished folds are kept."""


class DamagedRecordError(ExperimentError):
    """The file of a record holds something else than was written."""


class DamagedRecordWarning(UserWarning):
    """The record of a finished fold was altered on disk; the fold is run again."""
