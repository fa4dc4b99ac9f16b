"""Programs in which functions are values: captured, stored, returned, wrapped and generated."""
