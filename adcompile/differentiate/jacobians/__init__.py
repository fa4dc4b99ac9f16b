"""The partials of every number of a value: by columns, by rows, dense and sparse."""
