"""The trusted half of a sandbox (zygote, supervisor, jail) and the kernels that it starts. Standard library only."""
