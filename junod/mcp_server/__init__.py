"""The face for assistants: junod's memories over the Model Context Protocol."""
