"""Of the arguments of a call: their key for the look-up, their lengths, the numbers in them, many sets at once."""
