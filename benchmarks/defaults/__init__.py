"""The defaults of `hypertorus train` on seven data sets, beside what needs no training and beside other settings."""
