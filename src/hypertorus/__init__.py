"""Embeddings on the torus: train them, store them as overflowing integers, search them exactly.

This page is the interface: `import hypertorus as ht`, and everything is `ht.something`. Each name is imported from its
room when it is first used, so that storing and searching codes needs numpy alone, and training brings torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypertorus.annotations import Annotation as Annotation
    from hypertorus.annotations import read_annotations as read_annotations
    from hypertorus.annotations import write_annotations as write_annotations
    from hypertorus.classes import Classes as Classes
    from hypertorus.classes import Words as Words
    from hypertorus.classes import read_classes as read_classes
    from hypertorus.coders import Coder as Coder
    from hypertorus.coders import codes_for as codes_for
    from hypertorus.coders import load_coder as load_coder
    from hypertorus.codes import GridCodes as GridCodes
    from hypertorus.codes import ProductCodes as ProductCodes
    from hypertorus.codes import SignCodes as SignCodes
    from hypertorus.codes import circular_mean as circular_mean
    from hypertorus.codes import half_points as half_points
    from hypertorus.codes import hamming as hamming
    from hypertorus.codes import hamming_view as hamming_view
    from hypertorus.codes import int8_points as int8_points
    from hypertorus.codes import pack as pack
    from hypertorus.codes import quantise as quantise
    from hypertorus.codes import quantiser as quantiser
    from hypertorus.codes import unpack as unpack
    from hypertorus.datasets import Data as Data
    from hypertorus.datasets import read_data as read_data
    from hypertorus.embeddings import Embeddings as Embeddings
    from hypertorus.embeddings import read_embeddings as read_embeddings
    from hypertorus.engines import Engine as Engine
    from hypertorus.engines import engine as engine
    from hypertorus.engines import open_engine as open_engine
    from hypertorus.engines import rerank as rerank
    from hypertorus.evaluation import CodePrototypes as CodePrototypes
    from hypertorus.evaluation import Enrolment as Enrolment
    from hypertorus.evaluation import Evaluation as Evaluation
    from hypertorus.evaluation import PointPrototypes as PointPrototypes
    from hypertorus.evaluation import WeightedPrototypes as WeightedPrototypes
    from hypertorus.evaluation import evaluate as evaluate
    from hypertorus.evaluation import few_shot as few_shot
    from hypertorus.evaluation import share_for_strangers as share_for_strangers
    from hypertorus.listen import SoundIndex as SoundIndex
    from hypertorus.listen import detect as detect
    from hypertorus.listen import learn as learn
    from hypertorus.losses import KoLeoLoss as KoLeoLoss
    from hypertorus.losses import NeighboursLoss as NeighboursLoss
    from hypertorus.losses import ProtoCLRLoss as ProtoCLRLoss
    from hypertorus.losses import ProxyLoss as ProxyLoss
    from hypertorus.losses import gathered as gathered
    from hypertorus.losses import world_size as world_size
    from hypertorus.models import Head as Head
    from hypertorus.models import Model as Model
    from hypertorus.models import Project as Project
    from hypertorus.models import SoftSchedule as SoftSchedule
    from hypertorus.models import load as load
    from hypertorus.models.encoders import encoder as encoder
    from hypertorus.search import Index as Index
    from hypertorus.search import IndexFileError as IndexFileError
    from hypertorus.search import Neighbours as Neighbours
    from hypertorus.search import distances as distances
    from hypertorus.search import nearest as nearest
    from hypertorus.shards import DaskMap as DaskMap
    from hypertorus.shards import ProcessMap as ProcessMap
    from hypertorus.shards import ShardedIndex as ShardedIndex
    from hypertorus.shards import ShardedNeighbours as ShardedNeighbours
    from hypertorus.shards import ShardError as ShardError
    from hypertorus.sound import ChipSpectrogram as ChipSpectrogram
    from hypertorus.sound import Resonators as Resonators
    from hypertorus.sound import Spectrogram as Spectrogram
    from hypertorus.spaces import Space as Space
    from hypertorus.spaces import Sphere as Sphere
    from hypertorus.spaces import TorusC as TorusC
    from hypertorus.spaces import TorusN as TorusN
    from hypertorus.spaces import circular_variance as circular_variance
    from hypertorus.spaces import mean_direction as mean_direction
    from hypertorus.spaces import space as space
    from hypertorus.training import Hardware as Hardware
    from hypertorus.training import Settings as Settings
    from hypertorus.training import train as train
    from hypertorus.workbench import Answers as Answers
    from hypertorus.workbench import Bands as Bands
    from hypertorus.workbench import Classifier as Classifier
    from hypertorus.workbench import Items as Items
    from hypertorus.workbench import Learner as Learner
    from hypertorus.workbench import choose as choose
    from hypertorus.workbench import open_classifiers as open_classifiers
    from hypertorus.workbench import prototype_index as prototype_index
    from hypertorus.workbench import save_classifiers as save_classifiers

    data = read_data

__version__ = "0.1.0"

_ROOMS = {
    "annotations": "Annotation read_annotations write_annotations",
    "classes": "Classes Words read_classes",
    "codes": "GridCodes ProductCodes SignCodes circular_mean half_points hamming hamming_view int8_points pack "
    "quantise quantiser unpack",
    "coders": "Coder codes_for load_coder",
    "datasets": "Data read_data",
    "embeddings": "Embeddings read_embeddings",
    "engines": "Engine engine open_engine rerank",
    "evaluation": "CodePrototypes Enrolment Evaluation PointPrototypes WeightedPrototypes evaluate few_shot "
    "share_for_strangers",
    "listen": "SoundIndex detect learn",
    "losses": "KoLeoLoss NeighboursLoss ProtoCLRLoss ProxyLoss gathered world_size",
    "models": "Head Model Project SoftSchedule load",
    "models.encoders": "encoder",
    "search": "Index IndexFileError Neighbours distances nearest",
    "shards": "DaskMap ProcessMap ShardError ShardedIndex ShardedNeighbours",
    "sound": "ChipSpectrogram Resonators Spectrogram",
    "spaces": "Space Sphere TorusC TorusN circular_variance mean_direction space",
    "training": "Hardware Settings train",
    "workbench": "Answers Bands Classifier Items Learner choose open_classifiers prototype_index save_classifiers",
}
_PLACES = {name: (room, name) for room, names in _ROOMS.items() for name in names.split()}
_PLACES["data"] = ("datasets", "read_data")

__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'hypertorus' has no attribute {name!r}")
    room, attribute = _PLACES[name]
    value = getattr(import_module(f"hypertorus.{room}"), attribute)
    globals()[name] = value  # found at once the next time
    return value


def __dir__() -> list[str]:
    return [*globals(), *_PLACES]
