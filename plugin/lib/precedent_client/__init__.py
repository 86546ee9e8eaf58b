"""The thin client of Precedent: standard library only, Python 3.9 or later.

Modules import the network, argparse and git only where they use them, so that a hook which has nothing
to say pays for none of them.
"""

__version__ = "0.1.0"
