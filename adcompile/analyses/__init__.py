"""What is true of a program: kinds, versions, what varies, what is called. Exports nothing: import from its files."""
