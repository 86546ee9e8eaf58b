"""Precedent on this machine: an emulated AWS on loopback with the real templates deployed to it."""

import sys
from pathlib import Path

# The package the functions share is a layer and not installed; sam/template.yaml says the same.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "layers" / "core"))
