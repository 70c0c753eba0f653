"""Images: find look-alikes of handwritten digits.

It trains a small model on 1,438 images in a few seconds and stores each of them as a code of 16 bytes. It prints three
test images, each beside the four training images nearest to it, with their labels and distances, and how many of the
neighbours of all test images have the right label.
"""

import tempfile

import numpy as np
import torch

import hypertorus as ht

SHADES = np.array(list(" .:*#@"))


def drawing(image: torch.Tensor) -> list[str]:
    """Return an image of 8 x 8 pixels in 0..255 as eight lines of characters."""
    levels = image.reshape(8, 8).long().numpy() * (len(SHADES) - 1) // 255
    return ["".join(row) for row in SHADES[levels].repeat(2, axis=1)]


data = ht.data("digits")  # or the folder of your own images, with a folder for each class
with tempfile.TemporaryDirectory() as folder:
    model = ht.train(data, folder, space="torusN", dim=32, epochs=5, show=False)
index = model.index(data.train)  # codes of 16 angles of 8 bits, with labels
codes = model.encode(data.test)
found = index.search(codes, k=4)  # exact: no neighbour is missed

for row in range(3):
    near = [f"{label} at {far}" for label, far in zip(found.labels[row], found.distances[row], strict=True)]
    pictures = [data.test[row], *(data.train[number] for number in found.ids[row])]
    print("\n" + "  ".join(text.ljust(16) for text in ["a test image", *near]))
    print(*map("  ".join, zip(*map(drawing, pictures), strict=True)), sep="\n")
    print(f"its code: {codes[row].tobytes().hex(' ')}")

right = found.labels == np.array(data.classes)[data.test.labels][:, None]
print(f"\n{right.mean():.1%} of the neighbours of {len(data.test)} test images have the right label.")
