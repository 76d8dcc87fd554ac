"""Active learning from positive and unlabeled data, with certificates."""
