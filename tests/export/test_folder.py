"""The folder of an export: whole or not at all, and never in the place of anything else."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from hypertorus.export.chips import CHIPS, chip_by_name
from hypertorus.export.firmware import firmware
from hypertorus.export.folder import FILES, write_firmware
from hypertorus.export.from_index import known_of_index
from hypertorus.export.headers import EAR_HEADERS, EAR_TABLES, header_files
from hypertorus.export.known import Known, Labelled
from hypertorus.export.sizes import check_fits
from hypertorus.search import Index

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 256, size=(12, 6), dtype=np.uint8)


EAR = {f"src/{name}" for name in (*EAR_HEADERS, EAR_TABLES)}


def made(**options):
    return firmware(Known("Birds of the moor", Labelled(CODES, np.arange(12) % 2), ("owl", "jay"), 8), **options)


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_it_is_a_library_with_the_headers_as_they_are(tmp_path):
    write_firmware(made(), tmp_path / "firmware")
    assert files(tmp_path / "firmware") == FILES - {"inputs.csv"} - EAR
    for header in header_files():
        assert (tmp_path / "firmware" / "src" / header.name).read_bytes() == header.read_bytes()
    library = json.loads((tmp_path / "firmware" / "library.json").read_text())
    lines = (tmp_path / "firmware" / "library.properties").read_text().splitlines()
    properties = dict(line.split("=", 1) for line in lines)
    assert library["name"] == properties["name"] == "hypertorus_Birds_of_the_moor"
    assert [path.name for path in tmp_path.iterdir()] == ["firmware"]


def test_an_export_is_replaced_only_when_that_is_asked_for(tmp_path):
    write_firmware(made(), tmp_path / "firmware")
    with pytest.raises(ValueError, match="which already holds an export; pass --force to replace it"):
        write_firmware(made(prototypes=1), tmp_path / "firmware")
    write_firmware(made(prototypes=1), tmp_path / "firmware", force=True)
    assert "#define HT_CODES 2 " in (tmp_path / "firmware" / "src" / "model.h").read_text()


@pytest.mark.parametrize("name", ["notes.txt", "src/main.c", ".git/config"])
def test_what_no_export_wrote_is_never_overwritten(name, tmp_path):
    write_firmware(made(), tmp_path / "firmware")
    other = tmp_path / "firmware" / name
    other.parent.mkdir(exist_ok=True)
    other.write_text("mine")
    with pytest.raises(ValueError, match=f"which holds {name}, not written by an export; choose another folder"):
        write_firmware(made(), tmp_path / "firmware", force=True)
    assert other.read_text() == "mine"


def test_a_readme_of_somebody_else_is_no_export(tmp_path):
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(ValueError, match=r"which holds README\.md, not written by an export"):
        write_firmware(made(), tmp_path, force=True)


def test_a_file_is_no_folder_and_an_empty_folder_is_fine(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ValueError, match="which is a file; choose a folder"):
        write_firmware(made(), tmp_path / "file", force=True)
    (tmp_path / "empty").mkdir()
    write_firmware(made(), tmp_path / "empty")
    assert (tmp_path / "empty" / "src" / "model.c").exists()


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    write_firmware(made(), tmp_path / "firmware")
    before = {name: (tmp_path / "firmware" / name).read_bytes() for name in files(tmp_path / "firmware")}

    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(OSError, match="no space left"):
        write_firmware(made(prototypes=1), tmp_path / "firmware", force=True)
    assert {name: (tmp_path / "firmware" / name).read_bytes() for name in files(tmp_path / "firmware")} == before
    assert [path.name for path in tmp_path.iterdir()] == ["firmware"]


def test_what_does_not_fit_a_chip_is_said_with_the_bytes_it_lacks():
    known = Known("many", Labelled(RNG.integers(0, 256, (9000, 4), np.uint8), np.arange(9000) % 2), ("a", "b"), 8)
    large = firmware(known, target="avr")
    needed = 9000 * 4 + 9000 + 2 * 2 + 258 + 2000
    too_few = f"{needed:,} bytes of flash and atmega328p has 32,768: {needed - 32_768:,} too few"
    with pytest.raises(ValueError, match=too_few):
        check_fits(large.sizes, "avr", chip_by_name("atmega328p"), "atmega328p")
    with pytest.raises(ValueError, match="36,000 bytes of one table and avr-gcc has 32,767: 3,233 too few"):
        check_fits(large.sizes, "avr")
    check_fits(large.sizes, "cortex-m", chip_by_name("stm32f103c8"), "stm32f103c8")


@pytest.mark.parametrize("name", CHIPS)
def test_chips_are_of_a_target_that_there_is(name):
    assert made(target=CHIPS[name].target).sizes.flash < CHIPS[name].flash


def test_names_that_are_not_there_are_said():
    with pytest.raises(ValueError, match="--chip is 'z80'; choose one of attiny85, atmega328p"):
        chip_by_name("z80")
    with pytest.raises(ValueError, match="--target is 'z80'; choose one of portable, avr, cortex-m, riscv"):
        made(target="z80")


def saved(tmp_path, bits, labels):
    index = Index(6, bits)
    index.add(CODES >> np.uint8(8 - bits), labels=labels)
    index.remove([3])
    index.save(tmp_path / "birds.safetensors")
    return tmp_path / "birds.safetensors"


@pytest.mark.parametrize("labels", [["owl", "jay"] * 6, [7, 5] * 6])
def test_an_index_gives_its_codes_and_labels_of_fewer_bits_too(labels, tmp_path):
    known = known_of_index(saved(tmp_path, 8, labels), bits=4)
    assert np.array_equal(known.stored.codes, np.delete(CODES, 3, axis=0) >> 4)
    assert [known.classes[number] for number in known.stored.labels] == [str(label) for label in np.delete(labels, 3)]
    assert known.name == "birds"
    steps = (known.stored.codes[:, None] - known.stored.codes[None]) % 16
    away = np.minimum(steps, 16 - steps).sum(axis=2) + 1000 * np.eye(11, dtype=int)
    nearest = away.argmin(axis=1)
    assert known.accuracy() == np.mean(known.stored.labels[nearest] == known.stored.labels)


def test_an_index_without_labels_or_with_fewer_bits_is_refused(tmp_path):
    with pytest.raises(ValueError, match="has no labels, which a device needs to classify"):
        known_of_index(saved(tmp_path, 8, None))
    with pytest.raises(ValueError, match=r"--bits is 8, but the codes of .* have 4; choose at most 4"):
        known_of_index(saved(tmp_path, 4, [1] * 12), bits=8)


def test_labels_that_are_too_long_are_refused():
    with pytest.raises(ValueError, match="is not a text of at most 254 bytes"):
        firmware(Known("long", Labelled(CODES[:1], np.zeros(1, np.int64)), ("x" * 255,), 8))


def test_codes_are_exported_without_torch(tmp_path):
    saved(tmp_path, 8, [1, 2] * 6)
    code = """
import sys
from pathlib import Path
from hypertorus.export import firmware, known_of_index, write_firmware
write_firmware(firmware(known_of_index(Path("birds.safetensors"))), Path("firmware"))
print("torch" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "False\n"
