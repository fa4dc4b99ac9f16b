"""The rows of what generated code calls, so that it can be differentiated again."""
