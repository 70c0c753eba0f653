"""Codes to neighbours: exact search over wrap-around integers."""

from hypertorus.search._file import IndexFileError as IndexFileError
from hypertorus.search._functions import distances as distances
from hypertorus.search._functions import nearest as nearest
from hypertorus.search._library import METRICS as METRICS
from hypertorus.search._library import TABLES as TABLES
from hypertorus.search._library import check_angles as check_angles
from hypertorus.search._library import isa_name as isa_name
from hypertorus.search._library import isas as isas
from hypertorus.search._library import metric_address as metric_address
from hypertorus.search._library import use_isa as use_isa
from hypertorus.search._neighbours import Neighbours as Neighbours
from hypertorus.search.index import Index as Index
