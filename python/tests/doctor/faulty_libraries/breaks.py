"""Cannot be imported."""

raise ImportError("it lacks a library")
