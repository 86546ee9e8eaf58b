"""The adapters of the ports: S3, DynamoDB, and the access table."""
