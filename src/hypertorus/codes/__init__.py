"""Turns as wrap-around integers, and how they are packed into bytes."""

from hypertorus.codes.grid import quantise as quantise
from hypertorus.codes.packing import BITS as BITS
from hypertorus.codes.packing import check_bits as check_bits
from hypertorus.codes.packing import pack as pack
from hypertorus.codes.packing import packed_width as packed_width
from hypertorus.codes.packing import unpack as unpack
