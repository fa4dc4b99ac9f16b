"""Programs in which two names, or a name and a view, stand for the same memory."""
