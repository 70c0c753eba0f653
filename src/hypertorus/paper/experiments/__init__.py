"""The paper's experiments: grids of training runs at several sizes, and the table that they fill."""
