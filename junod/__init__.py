"""junod: the open-source daemon that gives a kitchen a memory."""

__version__ = "0.1.0"
