"""The form that is differentiated: one operation a statement, one name a thing, calls that change something opened."""
