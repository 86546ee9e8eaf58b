"""`make demo`: what README.md shows under “Two minutes”, played on a local AWS of its own."""

import sys
from pathlib import Path

# The package the functions share is a layer and not installed; sam/template.yaml says the same.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "layers" / "core"))
