"""Functions and classes of libraries in the language of the compiler, which reads these where a program calls those."""
