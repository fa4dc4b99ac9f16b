"""Programs with contexts, exceptions, printing, random numbers and names of the module."""
