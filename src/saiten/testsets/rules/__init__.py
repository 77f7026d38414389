"""What questions must not be, found by rules: unclear, giving their answer away, asked before."""
