"""The paper's figures and experiments, each by its name."""
