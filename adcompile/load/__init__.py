"""Text to callable."""
