"""One suite a port, run over the in-memory adapter and over a local AWS."""
