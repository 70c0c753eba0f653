"""The same codes in other people's search engines, behind one small interface."""

from hypertorus.engines.by_name import ENGINES as ENGINES
from hypertorus.engines.by_name import engine as engine
from hypertorus.engines.by_name import installed as installed
from hypertorus.engines.by_name import open_engine as open_engine
from hypertorus.engines.protocol import Engine as Engine
from hypertorus.engines.reranking import rerank as rerank
