"""Text models that are fine-tuned with the torus at their end, beside int8 and binary codes of the same models."""
