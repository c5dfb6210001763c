"""Model weights: the manifest, getting them, checking them, finding them. Nothing here loads a model."""
