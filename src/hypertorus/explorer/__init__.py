"""The page on which a person searches an index, looks, listens, answers and learns; `hypertorus explore` serves it."""

from hypertorus.files.extras import require

require("starlette", extra="explorer")
require("uvicorn", extra="explorer")
