"""The deployed service while everything but its clients is killed at random: `python -m tests.chaos`.

Writers send at full speed, each a process of its own. The local AWS, the workers that run its functions,
projectors and rebuilds are killed with SIGKILL meanwhile, and DynamoDB throttles and leaves batches half done.
Then the log and the projection are compared with every 2xx that was given.
"""

import sys
from pathlib import Path

# The package the functions share is a layer and not installed; sam/template.yaml says the same.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "layers" / "core"))
