"""The builder: a model, tools graded by the harm they can do, and an acceptance that looks for itself."""
