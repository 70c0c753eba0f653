"""Your own loop: train on the torus in plain PyTorch.

The network ends in `Project` where it would end in `normalize`, and the loss is a contrastive one for unit vectors.
With the schedule, undecided pairs of numbers stay small at first and commit late. It prints the loss as training goes
on, and then how well nearest neighbours predict labels, as floats and as codes of 8, 4, 2 and 1 bits.
"""

import torch
from pytorch_metric_learning.losses import SupConLoss
from sklearn.datasets import load_digits

import hypertorus as ht

EPOCHS, BATCH, TEST = 10, 128, 400
torch.manual_seed(0)
digits = load_digits()
inputs, labels = torch.tensor(digits.data / 16, dtype=torch.float32), torch.tensor(digits.target)
steps = (len(inputs) - TEST) // BATCH  # of an epoch

soft = ht.SoftSchedule(steps=EPOCHS * steps)
layers = torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 32)
network = torch.nn.Sequential(*layers, ht.Project("torusN", soft=soft))  # "sphere" would be normalize
loss_of = SupConLoss(temperature=0.15)  # 0.1 suits the sphere
optimiser = torch.optim.Adam(network.parameters(), lr=3e-3)

for epoch in range(EPOCHS):
    order = TEST + torch.randperm(len(inputs) - TEST)  # the first 400 rows are for testing
    for rows in order[: steps * BATCH].split(BATCH):
        loss = loss_of(network(inputs[rows]), labels[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        soft.step()
    print(f"epoch {epoch + 1}: loss {loss.item():.3f}")

points = network.eval()(inputs).detach().numpy()  # in evaluation mode the projection is hard
parts = ["test"] * TEST + ["train"] * (len(inputs) - TEST)
record = ht.Embeddings(points, "points", "torusN", labels=labels, classes=tuple("0123456789"), parts=parts)
print(ht.evaluate(record))
