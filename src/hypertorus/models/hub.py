"""Models on the Hugging Face hub: `user/name` is fetched when it is asked for by that name, and never otherwise.

Only the two files of a model are fetched, a safetensors file and a JSON file, of which nothing is executed.
"""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

from hypertorus.files.extras import require
from hypertorus.files.tensor_folder import CONFIG
from hypertorus.models.card import CARD
from hypertorus.models.folder import WEIGHTS

NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")
"""A name on the hub. Paths that begin with . or / or ~, or that end with /, are none."""


def folder_of(place: str | os.PathLike[str], revision: str | None = None) -> Path:
    """Return the folder itself, or the folder in the cache to which a model of the hub was fetched.

    A path object, and whatever exists on disk, never reaches the network, nor does a name whose first part is a folder
    here, unless it comes with a revision. HF_HUB_OFFLINE, HF_ENDPOINT, HF_HOME and HF_TOKEN are respected as in every
    library of Hugging Face.
    """
    if not isinstance(place, str) or Path(place).exists() or NAME.fullmatch(place) is None:
        if revision is not None:
            raise ValueError(f"revision is {revision}, but {place} is a folder, which has none; leave it out.")
        return Path(place)
    if revision is None:
        _refuse_mistyped(Path(place))
    require("huggingface_hub", extra="hub")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError

    try:
        return Path(snapshot_download(place, revision=revision, allow_patterns=[WEIGHTS, CONFIG]))
    except (OSError, HFValidationError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise FileNotFoundError(
            f"there is no folder {place}, and no model of that name could be had from the Hugging Face hub ({reason})."
        ) from error


def _refuse_mistyped(place: Path) -> None:
    """Raise an error for a name that is rather the path of a folder, or that no library is there to fetch."""
    if place.parent.is_dir():
        others = sorted(each.name for each in place.parent.iterdir() if each.is_dir())
        near = get_close_matches(place.name, others, n=1)
        holds = f", which holds {near[0]}" if near else ""
        raise FileNotFoundError(
            f"there is no folder {place} in {place.parent}{holds}; check its name, or pass revision='main' to have it "
            "from the Hugging Face hub."
        )
    if find_spec("huggingface_hub") is None:
        raise FileNotFoundError(
            f"there is no folder {place}; check its name, or, if it is that of a model on the Hugging Face hub, run: "
            "pip install 'hypertorus[hub]'"
        )


def push_folder(folder: Path, name: str, *, private: bool, token: str | None, message: str) -> str:
    """Upload the files of a model to the hub, and return the address of the commit."""
    if NAME.fullmatch(name) is None:
        raise ValueError(f"the name is {name!r}; a model on the hub is called user/name.")
    require("huggingface_hub", extra="hub")
    from huggingface_hub import HfApi

    api = HfApi(token=token)
    api.create_repo(name, private=private, exist_ok=True)
    done = api.upload_folder(
        repo_id=name, folder_path=folder, commit_message=message, allow_patterns=[WEIGHTS, CONFIG, CARD]
    )
    return str(done.commit_url)
