"""A project under everything at once, from one seed: writers, projectors, sweep, rebuild, packs, an attacker."""
