"""Views of one evaluation: the values, the partials, and what depends on what, all read from one `Recording`."""
