"""What a judge can be asked to do: one file per family, each task a frozen dataclass beside the type of its reply."""
