"""What runs over items, said as loops over what can be run over backwards."""
