"""What happens when a differentiated function is made and called."""
