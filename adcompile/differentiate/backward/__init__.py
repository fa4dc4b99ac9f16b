"""The backward sweep: what each statement adds to adjoints, and how branches, loops and exceptions are undone."""
