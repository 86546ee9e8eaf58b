"""Precedent's core: the domain (pure), its AWS adapters in `aws`, the HTTP vocabulary in `web`."""
