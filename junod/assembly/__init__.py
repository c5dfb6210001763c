"""The composition root: settings in, working parts out. The only package that names concrete adapters.

Everything heavy is imported inside the function that needs it, so that a command loads what it uses and no more.
"""
