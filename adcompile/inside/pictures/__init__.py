"""Pictures of one evaluation."""
