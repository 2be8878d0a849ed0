"""Pictures of data, patterns and models."""
