"""What every expression is: kinds, found for one signature."""
