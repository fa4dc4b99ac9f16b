"""How each value that the backward sweep reads gets there: tapes, snapshots, or computed again."""
