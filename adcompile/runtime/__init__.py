"""The functions that generated code may call; a module that is shipped carries copies of those it uses."""
