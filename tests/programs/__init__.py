"""A corpus of small programs, one construct (or one clash of constructs) each, and the harness that checks them."""
