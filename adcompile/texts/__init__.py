"""Generated texts outside of one process: kept on disk, or shipped; and what they were made from."""
