"""Turns to integers: quantisers, packing, and the views of codes that other engines search."""

from hypertorus.codes.by_name import PAPER as PAPER
from hypertorus.codes.by_name import quantiser as quantiser
from hypertorus.codes.circular_mean import circular_mean as circular_mean
from hypertorus.codes.grid import quantise as quantise
from hypertorus.codes.grid_codes import GridCodes as GridCodes
from hypertorus.codes.hamming import hamming as hamming
from hypertorus.codes.packing import BITS as BITS
from hypertorus.codes.packing import check_bits as check_bits
from hypertorus.codes.packing import pack as pack
from hypertorus.codes.packing import packed_width as packed_width
from hypertorus.codes.packing import unpack as unpack
from hypertorus.codes.plain_product_codes import PlainProductCodes as PlainProductCodes
from hypertorus.codes.product_codes import ProductCodes as ProductCodes
from hypertorus.codes.protocol import Quantiser as Quantiser
from hypertorus.codes.sign_codes import SignCodes as SignCodes
from hypertorus.codes.views import half_points as half_points
from hypertorus.codes.views import hamming_view as hamming_view
from hypertorus.codes.views import int8_points as int8_points
