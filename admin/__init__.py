"""What an operator does to a deployment, from a shell with AWS credentials: `python -m admin`."""
