"""Where a kernel finds its channel. High numbers: scripts like to use 3 and 4 for themselves."""

CONTROL = 250
#: Bash keeps its two output pipes here as well: a cell that closes 1 and 2 closes them for itself only.
BASH_STDOUT, BASH_STDERR = 251, 252
LAST = 252
