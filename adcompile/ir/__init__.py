"""The intermediate representation: nodes, how to walk and show them. Exports nothing: import from its files."""
