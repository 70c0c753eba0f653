"""Codes in many files, the shards, that any number of processes and machines search as one index."""

from hypertorus.shards.dask_map import DaskMap as DaskMap
from hypertorus.shards.manifest import Shard as Shard
from hypertorus.shards.manifest import ShardError as ShardError
from hypertorus.shards.process_map import ProcessMap as ProcessMap
from hypertorus.shards.shard import MissingShard as MissingShard
from hypertorus.shards.sharded_index import ShardedIndex as ShardedIndex
from hypertorus.shards.sharded_index import ShardedNeighbours as ShardedNeighbours
