"""How good recall in words is, and beside what: `make bench-recall`."""
