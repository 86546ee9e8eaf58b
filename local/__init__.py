"""Precedent on this machine: an emulated AWS on loopback with the real templates deployed to it."""
