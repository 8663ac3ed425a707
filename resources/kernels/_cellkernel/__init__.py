"""What runs in the process of user code: the Python kernel and nothing of its supervisor. Standard library only."""
