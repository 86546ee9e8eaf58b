"""In-memory adapters of the ports. The contract suites hold them to what the AWS ones do."""
