"""The laws of the domain as hypothesis properties; each module is one group of laws."""
