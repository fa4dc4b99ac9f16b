"""What Python says in many ways, said in one: single exit, comprehensions, iterators, `with`, markers."""
