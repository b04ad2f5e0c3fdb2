"""One module for each data set, from its own format to cases."""
