"""A project under everything at once, deterministic from one seed: writers, projectors, sweep, rebuild, an attacker."""
