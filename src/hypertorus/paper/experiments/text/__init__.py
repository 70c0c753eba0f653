"""Beyond the paper: sentences, as heads on the vectors of a text model."""
