"""The model: inputs to points and codes by the literal formula, whatever layout they come in."""

import copy

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from hypertorus import space
from hypertorus.models import Model
from hypertorus.models.encoders import encoder
from hypertorus.search import Index

SPACES = ("sphere", "torusN", "torusC")
RNG = np.random.default_rng(0)
COLOUR = RNG.integers(256, size=(7, 3, 8, 9), dtype=np.uint8)
VECTORS = RNG.standard_normal((7, 20)).astype(np.float32)


def make(name="small:4", shape=(3, 8, 9), dim=8, space_name="torusN", **options):
    torch.manual_seed(0)
    return Model(encoder(name, shape), shape, dim, space_name, **options)


class Rows:
    """A part of a data set, as `hypertorus.datasets` has them."""

    def __init__(self, inputs):
        self.inputs, self.asked = torch.from_numpy(inputs), []

    def __len__(self):
        return len(self.inputs)

    def __getitems__(self, indices):
        self.asked.append(len(indices))
        return self.inputs[indices]


@pytest.mark.parametrize("space_name", SPACES)
def test_points_are_the_layers_one_after_the_other(space_name):
    model = make("mlp:5", (20,), 4, space_name, mean=VECTORS.mean(axis=0), std=VECTORS.std(axis=0))
    weights = [weight.detach().numpy().astype(np.float64) for weight in model.parameters()]
    numbers = (VECTORS - VECTORS.mean(axis=0, dtype=np.float64)) / VECTORS.std(axis=0, dtype=np.float64)
    for layer in range(4):
        numbers = numbers @ weights[2 * layer].T + weights[2 * layer + 1]
        numbers = np.maximum(numbers, 0) if layer < 3 else numbers
    here = space(space_name, 4)
    np.testing.assert_allclose(model.raw(torch.from_numpy(VECTORS)).detach().numpy(), numbers, atol=1e-5)
    np.testing.assert_allclose(model.embed(VECTORS), here.project(numbers), atol=1e-5)
    assert here.check(model.embed(VECTORS)) == (True, "")
    assert model.space == here


def test_images_are_scaled_to_one_and_normalised_by_channel():
    mean, std = [0.1, 0.2, 0.3], [0.5, 0.6, 0.7]
    model = make("none", dim=216, head="none", mean=mean, std=std)
    wanted = (COLOUR / 255 - np.reshape(mean, (3, 1, 1))) / np.reshape(std, (3, 1, 1))
    np.testing.assert_allclose(model.raw(torch.from_numpy(COLOUR)).numpy(), wanted.reshape(7, -1), atol=1e-5)
    floats = torch.from_numpy(COLOUR).double() / 255
    torch.testing.assert_close(model.raw(floats), model.raw(torch.from_numpy(COLOUR)))


def test_without_mean_and_deviation_inputs_are_as_they_are_and_the_encoders_wish_goes_before():
    torch.testing.assert_close(
        make("none", (20,), 20, head="none").raw(torch.from_numpy(VECTORS)), torch.tensor(VECTORS)
    )
    wishing = encoder("none", (3, 8, 9))
    wishing.mean, wishing.std = (0.5,) * 3, (0.25,) * 3
    model = Model(wishing, (3, 8, 9), 216, "torusN", head="none")
    assert (model.mean.flatten().tolist(), model.std.flatten().tolist()) == ([0.5] * 3, [0.25] * 3)
    asked = Model(wishing, (3, 8, 9), 216, "torusN", head="none", mean=[0, 0, 0], std=[1, 1, 1])
    assert asked.mean.flatten().tolist() == [0.0] * 3


def test_a_feature_that_never_changes_is_divided_by_one():
    model = make("none", (3,), 3, "sphere", head="none", std=[0, 2, 4])
    assert model.raw(torch.tensor([[8.0, 8.0, 8.0]])).tolist() == [[8, 4, 2]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mean": [0.5]}, "mean is .*; pass 3 finite numbers, one per channel or feature"),
        ({"std": [1, 1, -1]}, "std is .*; pass 3 finite numbers"),
        ({"mean": [0, 0, float("nan")]}, "mean is .*; pass 3 finite numbers"),
        ({"head": "three"}, "head is 'three'; choose one of two-layer, linear, none"),
        ({"head": "none"}, "dim is 8, but there are 16 features, and head 'none' keeps them; make dim 16"),
        ({"dim": 7}, "dim is 7, which is odd"),
        ({"head": "linear", "dim": 7}, "dim is 7, which is odd"),
        ({"space_name": "torus"}, "space is 'torus'; there are"),
    ],
)
def test_what_cannot_be_a_model_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)


def test_a_linear_head_is_one_matrix():
    model = make("none", (20,), 4, head="linear")
    matrix, bias = model.parameters()
    torch.testing.assert_close(model.raw(torch.from_numpy(VECTORS)), torch.from_numpy(VECTORS) @ matrix.T + bias)


@pytest.mark.parametrize("space_name", SPACES)
def test_it_learns(space_name):
    model = make("small:4", (1, 8, 8), 8, space_name)
    labels = torch.arange(32) % 2
    images = torch.randint(0, 60, (32, 1, 8, 8)).to(torch.uint8)
    images[labels == 1, :, 2:5] += 120
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    same = (labels[:, None] == labels).float()
    losses = []
    for _ in range(20):
        points = model(images)
        loss = (points @ points.T - same).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


def test_every_layout_of_the_same_images_has_the_same_points():
    model = make()
    points = model.embed(COLOUR)
    last = COLOUR.transpose(0, 2, 3, 1)
    for same in (last, last.copy(), torch.from_numpy(last.copy()), torch.from_numpy(COLOUR), Rows(COLOUR), Rows(last)):
        np.testing.assert_array_equal(model.embed(same), points)
    np.testing.assert_allclose(model.embed(COLOUR / 255), points, atol=1e-6)
    grey = make(shape=(1, 8, 9))
    np.testing.assert_array_equal(grey.embed(COLOUR[:, 0]), grey.embed(COLOUR[:, :1]))
    np.testing.assert_array_equal(grey.embed(COLOUR[:, 0, :, :, None]), grey.embed(COLOUR[:, :1]))


def test_vectors_may_be_any_numbers():
    model = make("mlp:5", (20,))
    whole = np.round(VECTORS * 10)
    wanted = model.embed(whole.astype(np.float32))
    for same in (whole.astype(np.int64), whole.astype(np.int8), whole.astype(">f8"), whole.astype(np.float16)):
        np.testing.assert_array_equal(model.embed(same), wanted)
    np.testing.assert_array_equal(model.embed(whole[::-1]), model.embed(whole[::-1].copy()))
    frozen = whole.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(model.embed(frozen), wanted)


def test_points_do_not_depend_on_the_batch_and_progress_is_told():
    model, seen, rows = make(), [], Rows(COLOUR)
    points = model.embed(rows, batch=3, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(3, 7), (6, 7), (7, 7)]
    assert rows.asked == [3, 3, 1]
    assert points.dtype == np.float32
    np.testing.assert_allclose(points, model.embed(COLOUR), atol=1e-6)


def test_it_embeds_in_the_mode_of_use_and_leaves_all_modes_as_they_were():
    model = make().train()
    model.encoder.layers[1].eval()
    modes = [module.training for module in model.modules()]
    before = copy.deepcopy(model.state_dict())
    points = model.embed(COLOUR)
    with pytest.raises(ValueError, match="x has shape"):
        model.embed(COLOUR[:, :1])
    assert [module.training for module in model.modules()] == modes
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
    np.testing.assert_array_equal(model.eval().embed(COLOUR), points)


@pytest.mark.parametrize(
    ("x", "kind", "message"),
    [
        (COLOUR[0], ValueError, r"x has shape \(3, 8, 9\); this model takes images of 8 x 9 pixels with 3 channels: "),
        (COLOUR[:, :, :7], ValueError, r"x has shape \(7, 3, 7, 9\); .* pass \[n, 8, 9, 3\] or \[n, 3, 8, 9\]"),
        (COLOUR[:, 0], ValueError, r"x has shape \(7, 8, 9\); this model takes images"),
        (VECTORS, ValueError, r"x has shape \(7, 20\); this model takes images"),
        (COLOUR[:0], ValueError, "x is empty; pass at least one input"),
        (Rows(COLOUR[:0]), ValueError, "x is empty"),
        (COLOUR.astype(np.int32), TypeError, "x holds torch.int32; pass images as uint8, or as floats in 0..1"),
        (
            COLOUR.astype(np.float32),
            ValueError,
            "x holds floats from 0 to 255; pass images as uint8, or as floats in 0..1",
        ),
        (np.full((2, 3, 8, 9), np.nan), ValueError, "x has a NaN or an infinity in row 0"),
        (COLOUR.tolist(), TypeError, "x is a list; pass a numpy array or a torch tensor"),
        (np.array("cat"), TypeError, "x is a ndarray; pass"),
        (COLOUR.astype(str), TypeError, "x holds <U"),
        (COLOUR > 9, TypeError, "x holds bool"),
    ],
)
def test_wrong_images_are_refused(x, kind, message):
    with pytest.raises(kind, match=message):
        make().embed(x)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (VECTORS[0], r"x has shape \(20,\); this model takes vectors of 20 numbers: pass \[n, 20\]"),
        (VECTORS[:, :9], r"x has shape \(7, 9\); this model takes vectors of 20 numbers"),
        (np.where(np.arange(7)[:, None] == 5, np.inf, VECTORS), "x has a NaN or an infinity in row 5"),
    ],
)
def test_wrong_vectors_are_refused(x, message):
    with pytest.raises(ValueError, match=message):
        make("mlp:5", (20,)).embed(x, batch=2)


def test_a_batch_is_at_least_one():
    with pytest.raises(ValueError, match="batch is 0; it must be a whole number of at least 1"):
        make().embed(COLOUR, batch=0)


def test_a_model_that_computes_nonsense_says_so():
    model = make("mlp:5", (20,))
    with torch.no_grad():
        model.head[0].weight[0] = torch.inf
    with pytest.raises(ValueError, match="the model gave a NaN or an infinity; its weights are damaged"):
        model.embed(VECTORS)


@pytest.mark.parametrize("space_name", ["torusN", "torusC"])
def test_codes_of_a_torus_are_its_turns_on_the_fixed_grid(space_name):
    model = make(space_name=space_name).eval()
    raw = model.raw(torch.from_numpy(COLOUR)).detach().double()
    turns = {"torusN": torch.atan2(raw[:, 1::2], raw[:, 0::2]) / torch.pi / 2 % 1, "torusC": raw % 1}[space_name]
    codes = model.encode(COLOUR)
    np.testing.assert_array_equal(codes, np.floor(turns.numpy() * 256))
    assert codes.dtype == np.uint8
    np.testing.assert_array_equal(model.encode(COLOUR, bits=3), codes >> 5)
    model.fit_codes(COLOUR[:2])
    np.testing.assert_array_equal(model.encode(COLOUR), codes)


def test_codes_of_the_sphere_span_what_was_seen_in_training():
    model = make(space_name="sphere")
    with pytest.raises(ValueError, match=r"have no range yet; call fit_codes\(training inputs\)"):
        model.encode(COLOUR)
    model.fit_codes(COLOUR[:4], batch=3)
    points = model.embed(COLOUR).astype(np.float64)
    low, high = points[:4].min(axis=0), points[:4].max(axis=0)
    wanted = np.clip(np.floor((points - low) / (high - low) * 256), 0, 255)
    assert np.abs(model.encode(COLOUR).astype(int) - wanted).max() <= 1
    assert (model.encode(COLOUR) == wanted).mean() > 0.95


def test_an_index_of_codes_finds_what_was_put_in():
    model = make()
    index = model.index(COLOUR, labels=list("abcdefg"), metric="l1", bits=4)
    assert (index.dim, index.bits, index.metric, len(index)) == (4, 4, "l1", 7)
    wanted = Index(4, 4, "l1")
    wanted.add(model.encode(COLOUR, bits=4))
    queries = model.encode(COLOUR[::-1].copy(), bits=4)
    np.testing.assert_array_equal(tuple(index.search(queries, k=3)), tuple(wanted.search(queries, k=3)))
    assert index.labels_of([2]).tolist() == ["c"]
    assert model.index(COLOUR, ids=np.arange(7) + 50).ids.tolist() == list(range(50, 57))


def test_the_sphere_has_no_index():
    with pytest.raises(ValueError, match="lives on the sphere, whose codes do not wrap around; an index needs a torus"):
        make(space_name="sphere").index(COLOUR)


def test_half_precision_and_copies_embed_alike():
    model = make()
    np.testing.assert_array_equal(copy.deepcopy(model).embed(COLOUR), model.embed(COLOUR))
    np.testing.assert_allclose(make().bfloat16().embed(COLOUR), model.embed(COLOUR), atol=0.1)


def test_the_compiled_graph_gives_the_same_points():
    model = make().eval()
    program = torch.export.export(model, (torch.from_numpy(COLOUR),))
    torch.testing.assert_close(program.module()(torch.from_numpy(COLOUR)), model(torch.from_numpy(COLOUR)))


def test_its_weights_are_plain_tensors_of_the_safetensors_library(tmp_path):
    model = make(space_name="sphere")
    model.fit_codes(COLOUR)
    model.save(tmp_path)
    tensors, state = load_file(tmp_path / "model.safetensors"), model.state_dict()
    assert tensors.keys() == state.keys()
    for name, tensor in state.items():
        np.testing.assert_array_equal(tensors[name], tensor.numpy())
        assert tensors[name].shape == tuple(tensor.shape)


def test_fewer_coordinates_are_the_first_ones():
    model = Model(encoder("none", (20,)), (20,), dim=16, space="torusN")
    x = np.random.default_rng(0).normal(size=(30, 20)).astype(np.float32)
    codes = model.encode(x)
    np.testing.assert_array_equal(model.encode(x, coordinates=3, bits=2), codes[:, :3] >> 6)
    np.testing.assert_allclose(model.embed(x, coordinates=3), model.embed(x)[:, :6] * (8 / 3) ** 0.5, rtol=1e-6)
    record = model.embeddings(x, 4, coordinates=3)
    assert (record.dim, record.bits, record.model) == (6, 4, model.fingerprint)
    index = model.index(x, coordinates=3, bits=2)
    np.testing.assert_array_equal(index.vectors(index.ids), codes[:, :3] >> 6)
    assert index.search(model.embeddings(x, 8), k=1).distances.max() == 0
    for call in (model.embed, model.encode, model.embeddings, model.index):
        with pytest.raises(ValueError, match="coordinates is 9; there are 8"):
            call(x, coordinates=9)
