import pytest
import torch
from torch import nn

from hypertorus import Head, Project, SoftSchedule, TorusN


def test_softness_falls_in_a_straight_line_to_zero_at_seventy_percent():
    soft, values = SoftSchedule(steps=10, start=0.8), []
    for _ in range(10):
        values.append(soft.value.item())
        soft.step()
    assert values == pytest.approx([0.8 * max(0, 1 - done / 7) for done in range(10)])
    assert soft.value == 0


def test_project_is_soft_in_training_and_hard_in_evaluation():
    raw, schedule = torch.randn(5, 8), SoftSchedule(steps=10)
    for project in (Project("torusN", soft=schedule), Project("torusN", soft=1.0), Head(8, 8, "torusN", soft=1.0)[-1]):
        torch.testing.assert_close(project(raw), TorusN(8).project(raw, soft=1.0))
        assert torch.equal(project.eval()(raw), TorusN(8).project(raw))
        assert project.state_dict() == {}
    for _ in range(10):
        schedule.step()
    assert torch.equal(Project("torusN", soft=schedule)(raw), TorusN(8).project(raw))


def test_a_plain_loop_that_is_resumed_is_the_same_to_the_bit():
    inputs = torch.randn(32, 6, generator=torch.Generator().manual_seed(0))

    def start():
        torch.manual_seed(0)
        schedule = SoftSchedule(steps=12)
        network = nn.Sequential(nn.Linear(6, 8), Project("torusN", soft=schedule))
        return network, torch.optim.Adam(network.parameters(), lr=0.1), schedule

    def go_on(network, optimiser, schedule, steps):
        for _ in range(steps):
            optimiser.zero_grad()
            network(inputs).square()[:, ::3].sum().backward()
            optimiser.step()
            schedule.step()

    whole, half, resumed = start(), start(), start()
    go_on(*whole, 12)
    go_on(*half, 5)
    for new, old in zip(resumed, half, strict=True):
        new.load_state_dict(old.state_dict())
    go_on(*resumed, 7)
    assert torch.equal(whole[0][0].weight, resumed[0][0].weight)
    assert not torch.equal(whole[0][0].weight, half[0][0].weight)


def test_one_compiled_network_serves_the_whole_schedule():
    torch.compiler.reset()  # of what other tests compiled, beside which this would be compiled again
    schedule = SoftSchedule(steps=3)
    network = nn.Sequential(nn.Linear(6, 8), Project("torusN", soft=schedule))
    compiled, inputs = torch.compile(network, fullgraph=True, backend="eager"), torch.randn(4, 6)
    with torch._dynamo.config.patch(error_on_recompile=True):
        for _ in range(4):
            torch.testing.assert_close(compiled(inputs), network(inputs))
            schedule.step()


@pytest.mark.parametrize("soft", [-0.1, 1.5, float("nan")])
def test_softness_that_cannot_be_is_refused(soft):
    with pytest.raises(ValueError, match=r"soft is .*; it must be from 0"):
        Project("torusN", soft=soft)
    with pytest.raises(ValueError, match=r"soft is .*; it must be from 0"):
        SoftSchedule(10, start=soft)


def test_only_torusn_is_soft():
    with pytest.raises(ValueError, match=r"soft is 0\.5, but the space is 'sphere'; only torusN has a soft projection"):
        Project("sphere", soft=0.5)
    with pytest.raises(ValueError, match="steps is 0"):
        SoftSchedule(0)
