"""What is known of whole numbers: indices, lengths, counts, and what follows from it."""
