"""Finds the images of a folder that cannot be read, before a batch asks for them, so that they can be left out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from PIL import Image

from hypertorus.datasets.images import check_pixels
from hypertorus.files.progress import Progress
from hypertorus.files.threads import thread_count
from hypertorus.files.unreadable import warn_of_unreadable


def readable_images(paths: list[str], place: str, progress: Progress | None = None) -> list[str]:
    """Return the paths of images that can be read; a warning names the others, and an error says if none can be."""
    kept, reasons = [], []
    with ThreadPoolExecutor(thread_count(None)) as pool:
        for number, (path, reason) in enumerate(zip(paths, pool.map(_reason, paths), strict=True)):
            if reason is None:
                kept.append(path)
            else:
                reasons.append(reason)
            if progress:
                progress(number + 1, len(paths))
    if not kept:
        raise ValueError(
            reasons[0] if len(paths) == 1 else f"none of the {len(paths)} images of {place} could be read: {reasons[0]}"
        )
    if reasons:
        warn_of_unreadable(reasons, len(paths), "were left out", "images")
    return kept


def _reason(path: str) -> str | None:
    """Return why an image cannot be read, or None if it can."""
    try:
        with Image.open(path) as image:
            check_pixels(image)
            image.draft("RGB", (1, 1))  # a JPEG is decoded at an eighth of its size
            if image.format == "PNG":
                image.verify()  # by its checksums, which is faster than decoding it
            else:
                image.load()
    except Exception as error:  # noqa: BLE001 - a damaged image may fail anywhere in its decoder
        return f"{path} is not a readable image ({error}); fix it or remove it."
    return None
