"""Functions that the compiler must refuse, each with what the message must say."""
