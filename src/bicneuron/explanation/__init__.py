"""Why a model decides as it does, as values."""
