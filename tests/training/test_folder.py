"""The folder of a run: it resumes wherever it is, belongs to one process at a time, and nothing else is touched."""

import errno
import json
import shutil
import subprocess
import sys

import pytest
import torch

from hypertorus.datasets import Data, InMemory
from hypertorus.training import Settings, run_training
from hypertorus.training.best_epochs import BestEpochs
from hypertorus.training.checkpoints import AtomicCheckpoints
from hypertorus.training.folder import RunFolder
from hypertorus.training.frozen import features_of
from hypertorus.training.prepare import build_model

SETTINGS = Settings(
    dim=8, epochs=6, batch=50, lr=1.0, temperature=0.1, schedule="constant", encoder="none", head="linear", seed=3
)
"""With these, the best epoch is the third."""


def blobs(n=200, classes=10, features=8):
    """Classes that overlap, so that the best epoch is seldom the last."""
    draw = torch.Generator().manual_seed(0)
    labels = torch.randint(classes, (2 * n,), generator=draw)
    centres = torch.randn(classes, features, generator=draw)
    vectors = centres[labels] + 0.8 * torch.randn(2 * n, features, generator=draw)
    parts = [InMemory(vectors[rows], labels[rows]) for rows in (slice(n), slice(n, None))]
    return Data("blobs", *parts, tuple(map(str, range(classes))))


class Killed(BaseException):
    """Nothing catches it, as nothing catches a kill."""


def kill_before_last_of(epoch, monkeypatch):
    """End the run as a kill would, when the best weights of this epoch are saved and its last.ckpt is not."""
    save = AtomicCheckpoints.save_checkpoint

    def killed(self, checkpoint, path, storage_options=None):
        if str(path).endswith("last.ckpt") and checkpoint["epoch"] + 1 == epoch:
            raise Killed
        save(self, checkpoint, path, storage_options)

    monkeypatch.setattr(AtomicCheckpoints, "save_checkpoint", killed)


@pytest.mark.parametrize("average_best", [1, 3])
def test_a_killed_run_whose_folder_was_moved_gives_the_same_model(tmp_path, average_best):
    data, settings = blobs(), Settings(**{**SETTINGS.as_dict(), "average_best": average_best})
    whole = run_training(data, settings, tmp_path / "whole", show=False)
    assert whole.best_epoch == 3
    for epoch in (3, 6):
        with pytest.MonkeyPatch.context() as patch:
            kill_before_last_of(epoch, patch)
            with pytest.raises(Killed):
                run_training(data, settings, tmp_path / "killed", show=False)
        place = tmp_path / f"moved before the end of epoch {epoch}"
        shutil.move(tmp_path / "killed", place)
        last = AtomicCheckpoints().load_checkpoint(place / "run" / "last.ckpt")["callbacks"]
        best = next(state for name, state in last.items() if BestEpochs.__name__ in name)["best_k_models"]
        assert all((place / "run" / name).is_file() for name in best)
        again = run_training(data, settings, place, show=False)
        assert again.best_epoch == whole.best_epoch
        for name in ("model.safetensors", "config.json"):
            assert (place / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
        assert not list((place / "run").glob("*.ckpt"))


def test_a_second_training_into_the_folder_is_refused_at_once(tmp_path):
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom hypertorus.training.folder import RunFolder\n"
        "with RunFolder(Path(sys.argv[1])).locked():\n    print('held', flush=True)\n    time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, tmp_path / "model"], stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(ValueError, match=r"another process is training into .*model; wait .* another --out"):
            run_training(blobs(), SETTINGS, tmp_path / "model", restart=True)
        other.kill()
    outcome = run_training(blobs(), Settings(dim=8, epochs=1, batch=50), tmp_path / "model", show=False)
    assert outcome.epochs == 1
    assert not (tmp_path / "model" / "run" / "lock").exists()


def test_a_folder_that_was_refused_is_left_as_it_was(tmp_path):
    with pytest.raises(RuntimeError, match="no"), RunFolder(tmp_path / "a" / "b").locked():
        raise RuntimeError("no")
    assert not (tmp_path / "a" / "b").exists()


@pytest.mark.parametrize("restart", [True, False])
@pytest.mark.parametrize(
    "theirs", [{"run/thesis.txt": "a year"}, {"run/last.ckpt": "weights of a month"}, {"run/settings.json": "{}"}]
)
def test_what_no_training_wrote_is_neither_used_nor_deleted(tmp_path, theirs, restart):
    (tmp_path / "run").mkdir()
    for name, text in theirs.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=r"run was not written by a training, so it is neither used nor deleted"):
        run_training(blobs(), SETTINGS, tmp_path, restart=restart)
    left = {str(path.relative_to(tmp_path)): path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == theirs


def test_another_librarys_model_is_not_replaced(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(ValueError, match=r"config.json is not of a hypertorus model, so it is not replaced"):
        run_training(blobs(), SETTINGS, tmp_path, restart=True)
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


def test_a_restart_keeps_what_a_user_put_beside_the_files_of_the_run(tmp_path):
    quick = Settings(dim=8, epochs=1, batch=50)
    run_training(blobs(), quick, tmp_path, show=False)
    (tmp_path / "run" / "notes.md").write_text("mine")
    (tmp_path / "run" / "other.ckpt").write_text("mine, too")
    (tmp_path / "run" / "events.out.tfevents.0.before").touch()
    run_training(blobs(), quick, tmp_path, restart=True, show=False)
    assert (tmp_path / "run" / "notes.md").read_text() == "mine"
    assert (tmp_path / "run" / "other.ckpt").read_text() == "mine, too"
    assert not (tmp_path / "run" / "events.out.tfevents.0.before").exists()


def test_a_run_from_before_there_was_a_mark_may_be_restarted(tmp_path):
    quick = Settings(dim=8, epochs=1, batch=50)
    run_training(blobs(), quick, tmp_path, show=False)
    file = tmp_path / "run" / "settings.json"
    file.write_text(
        json.dumps({name: value for name, value in json.loads(file.read_text()).items() if name != "format"})
    )
    assert run_training(blobs(), quick, tmp_path, restart=True, show=False).epochs == 1


def test_a_cut_checkpoint_is_one_sentence(tmp_path, monkeypatch):
    kill_before_last_of(3, monkeypatch)
    with pytest.raises(Killed):
        run_training(blobs(), SETTINGS, tmp_path, show=False)
    last = tmp_path / "run" / "last.ckpt"
    for size in (0, 100, last.stat().st_size - 200):
        last.write_bytes(last.read_bytes()[:size])
        with pytest.raises(ValueError, match=r"last.ckpt is not a whole checkpoint .*; pass --restart"):
            run_training(blobs(), SETTINGS, tmp_path, show=False)


@pytest.mark.parametrize("size", [100, 20_000])
def test_a_full_disk_is_one_sentence_and_costs_an_epoch_at_most(tmp_path, size):
    resource = pytest.importorskip("resource")
    settings = Settings(dim=8, epochs=2, batch=50)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        with pytest.raises(OSError, match=r"could not be written \(File too large\); free some space") as full:
            run_training(blobs(), settings, tmp_path / "model", show=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert full.value.errno == errno.EFBIG
    assert not list(tmp_path.rglob("*.partial"))
    assert run_training(blobs(), settings, tmp_path / "model", show=False).epochs == 2


def test_any_changed_input_and_any_changed_byte_are_seen_by_the_cache(tmp_path):
    data = blobs(n=1000)
    model = build_model(data, Settings(dim=8))
    first = features_of(model, data.train, tmp_path).inputs
    changed = data.train.inputs.clone()
    changed[1] += 1
    other = features_of(model, InMemory(changed, data.train.labels), tmp_path).inputs
    assert torch.equal(other[0], first[0])
    assert not torch.equal(other[1], first[1])
    for file in tmp_path.iterdir():
        content = bytearray(file.read_bytes())
        content[-2] ^= 64
        file.write_bytes(content)
    assert torch.equal(features_of(model, data.train, tmp_path).inputs, first)
