"""The torus inside other libraries: scikit-learn, sentence-transformers, pytorch-metric-learning, perch-hoplite."""
