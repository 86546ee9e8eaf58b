"""Golden logs: what was written once must be read for ever."""
