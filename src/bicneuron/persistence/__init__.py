"""Model files: fitted models saved and loaded without running code, and exported."""

from bicneuron.persistence._files import load_about, load_model, save_model

__all__ = ["load_about", "load_model", "save_model"]
