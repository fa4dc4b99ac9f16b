"""One module per set of bars: `POSITION` and `BARS`, a tuple of `RatioBar` and `CostBar`."""
