import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hypertorus import space
from hypertorus.models import Head, Project


@pytest.mark.parametrize("name", ["sphere", "torusN", "torusC"])
def test_it_is_the_projection_of_the_space(name):
    raw = torch.randn(4, 2, 16)
    torch.testing.assert_close(Project(name)(raw), space(name, 16).project(raw))


def test_it_stands_in_for_normalize():
    raw = torch.randn(8, 16)
    torch.testing.assert_close(Project("sphere")(raw), F.normalize(raw, dim=-1))


@pytest.mark.parametrize("name", ["sphere", "torusN", "torusC"])
def test_a_network_that_ends_in_it_learns(name):
    torch.manual_seed(0)
    inputs, labels = torch.randn(60, 10), torch.arange(60) % 3
    inputs[:, :3] += 2 * F.one_hot(labels, 3)
    network = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8), Project(name))
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
    same = (labels[:, None] == labels).float()
    losses = []
    for _ in range(60):
        points = network(inputs)
        loss = (points @ points.T - same).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


def test_unknown_names_are_refused_at_once():
    with pytest.raises(ValueError, match="space is 'torus'"):
        Project("torus")


def test_it_says_what_it_is_and_has_nothing_to_save():
    assert repr(Project("torusN")) == "Project('torusN')"
    assert Project("torusN").state_dict() == {}


@pytest.mark.parametrize("name", ["sphere", "torusN", "torusC"])
def test_under_autocast_only_the_layers_before_it_are_narrow(name):
    network = nn.Sequential(nn.Linear(10, 8), Project(name))
    inputs = torch.randn(5, 10)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        points, raw = network(inputs), network[0](inputs)
    assert raw.dtype == torch.bfloat16
    torch.testing.assert_close(points, space(name, 8).project(raw.float()), rtol=0, atol=1e-6)
    points[:, 1].sum().backward()
    assert network[0].weight.grad.isfinite().all()
    assert network[0].weight.grad.abs().max() > 0


@pytest.mark.parametrize("name", ["sphere", "torusN", "torusC"])
def test_a_compiled_head_is_one_graph_and_takes_the_same_step_at_any_batch_size(name):
    head, inputs = Head(10, dim=8, space=name), torch.randn(7, 10)
    compiled = torch.compile(head, fullgraph=True, dynamic=True, backend="aot_eager")  # tests/spaces takes inductor
    weights = torch.arange(head(inputs).shape[1])
    for batch in (inputs, inputs[:3]):
        steps = []
        for network in (head, compiled):
            head.zero_grad()
            points = network(batch)
            (points * weights).sum().backward()
            steps.append([points.detach(), *(weight.grad.clone() for weight in head.parameters())])
        torch.testing.assert_close(*steps, rtol=1e-4, atol=1e-5)


@pytest.fixture(params=["sphere", "torusN", "torusC", "head"])
def network(request):
    """What comes before the projection leaves its input as it is, so that a test can choose the raw numbers."""
    if request.param == "head":
        return Head(8, dim=6, space="torusN")
    network = nn.Sequential(nn.Linear(8, 8, bias=False), Project(request.param))
    nn.init.eye_(network[0].weight)
    return network


def hard_rows() -> torch.Tensor:
    rows = torch.randn(8, 8)
    for row, scale in enumerate((0.0, 1e-42, 1e-20, 1e-13, 1e-11, 1e15)):
        rows[row] *= scale
    rows[6, :2], rows[6, 2:4] = 0, 1e-30
    return rows


def test_an_exported_network_gives_the_same_points_at_any_batch_size(network):
    batch = torch.export.Dim("batch")
    exported = torch.export.export(network, (torch.randn(4, 8),), dynamic_shapes=({0: batch},)).module()
    for rows in (hard_rows(), torch.randn(1, 8)):
        torch.testing.assert_close(exported(rows), network(rows), rtol=0, atol=1e-6)


@pytest.mark.filterwarnings(r"ignore:`isinstance\(treespec, LeafSpec\)` is deprecated:FutureWarning")  # torch's own
def test_onnx_gives_the_same_points_at_any_batch_size(network):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime runs what is exported")
    pytest.importorskip("onnxscript", reason="torch exports to ONNX by onnxscript")
    shapes = ({0: torch.export.Dim("batch")},)
    program = torch.onnx.export(network.eval(), (torch.randn(4, 8),), dynamo=True, dynamic_shapes=shapes, verbose=False)
    session = runtime.InferenceSession(program.model_proto.SerializeToString(), providers=["CPUExecutionProvider"])
    for rows in (hard_rows(), torch.randn(1, 8)):
        (points,) = session.run(None, {session.get_inputs()[0].name: rows.numpy()})
        torch.testing.assert_close(torch.from_numpy(points), network(rows).detach(), rtol=0, atol=1e-6)
