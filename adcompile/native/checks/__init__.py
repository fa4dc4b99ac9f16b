"""What Python raises, and what is read from outside."""
