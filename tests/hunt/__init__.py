"""A hunt for wrong gradients: programs are written at random, and what the compiler makes of each is checked."""
