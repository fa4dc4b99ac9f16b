"""Programs that write into arrays: element by element, through slices, masks and ufuncs' outputs."""
