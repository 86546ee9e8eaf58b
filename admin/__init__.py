"""What an operator does to a deployment, from a shell with AWS credentials: `python -m admin`."""

import sys
from pathlib import Path

# The package the functions share is a layer and not installed; sam/template.yaml says the same.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "layers" / "core"))
