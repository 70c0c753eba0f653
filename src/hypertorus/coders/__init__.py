"""Codes for vectors that exist already, without labels: coders that are fitted to keep neighbours, and their folder.

To encode and to search needs numpy alone; to fit a coder needs torch.
"""

from hypertorus.coders.coder import Coder as Coder
from hypertorus.coders.fit import USES as USES
from hypertorus.coders.fit import codes_for as codes_for
from hypertorus.coders.folder import load_coder as load_coder
