"""The searches of TabLeak in PyTorch: double backward, members one after the other as in the authors' code, or in one batch.

Reads the problem that bench/tableak_bench.cpp writes, so observation, labels, starts and settings are the same.
"""
import json
import pathlib
import time

import torch
from torch.nn import functional


class Problem:
    """The description tableak.json and its 64-bit numbers tableak.bin."""

    def __init__(self, directory, dtype):
        path = pathlib.Path(directory) / "tableak.json"
        self.__dict__.update(json.loads(path.read_text()))
        numbers = torch.frombuffer(bytearray(path.with_suffix(".bin").read_bytes()), dtype=torch.float64).to(dtype)
        size = sum(out * (into + 1) for into, out in zip(self.widths, self.widths[1:]))
        labels = self.records * self.widths[-1]
        weights, gradient, labels, starts = numbers.split([size, size, labels, len(numbers) - 2 * size - labels])
        self.weights, self.gradient = self.cut(weights), self.cut(gradient)
        self.classes = labels.reshape(self.records, -1).argmax(1)
        self.starts = starts.reshape(self.members, self.records, self.widths[0])
        for block in self.blocks:
            block["low"] = torch.tensor(block["low"], dtype=dtype)
            block["span"] = torch.tensor(block["high"], dtype=dtype) - block["low"]

    def cut(self, numbers):
        """One flat vector as the weights and biases of the layers, in order."""
        parts, at = [], 0
        for into, out in zip(self.widths, self.widths[1:]):
            for shape in ((out, into), (out,)):
                count = torch.Size(shape).numel()
                parts.append(numbers[at:at + count].reshape(shape).clone())
                at += count
        return parts

    def records_of(self, variables):
        """Softmax over a category's places, sigmoid between the bounds of a number, each scaled."""
        parts, at = [], 0
        for block in self.blocks:
            part = variables[..., at:at + block["size"]]
            share = functional.softmax(part, -1) if block["softmax"] else torch.sigmoid(part)
            parts.append(block["low"] + block["span"] * share)
            at += block["size"]
        return torch.cat(parts, -1)


def cosine_distance(gradients, observed, dims):
    """1 - cos over all tensors at once; `dims` are those of one member's tensors."""
    product = sum((g * o).flatten(-dims(o)).sum(-1) for g, o in zip(gradients, observed))
    square = sum((g * g).flatten(-dims(o)).sum(-1) for g, o in zip(gradients, observed))
    length = sum((o * o).sum() for o in observed).sqrt()
    return 1 - product / (square.sqrt() * length)


class OneMember:
    """The network as PyTorch's users write it."""

    def __init__(self, problem, member):
        self.problem = problem
        self.weights = [w.clone().requires_grad_() for w in problem.weights]
        self.variables = problem.starts[member].clone().requires_grad_()

    def distances(self):
        x = self.problem.records_of(self.variables)
        layers = list(zip(self.weights[::2], self.weights[1::2]))
        for i, (weight, bias) in enumerate(layers):
            x = functional.linear(x, weight, bias)
            x = torch.relu(x) if i + 1 < len(layers) else x
        loss = functional.cross_entropy(x, self.problem.classes)
        gradients = torch.autograd.grad(loss, self.weights, create_graph=True)
        return cosine_distance(gradients, self.problem.gradient, lambda o: o.dim()).reshape(1)


class AllMembers:
    """Every member with a copy of the weights, so that one backward pass gives every member's own gradient."""

    def __init__(self, problem, members):
        self.problem = problem
        self.weights = [w.expand(members, *w.shape).clone().requires_grad_() for w in problem.weights]
        self.variables = problem.starts[:members].clone().requires_grad_()

    def distances(self):
        x = self.problem.records_of(self.variables)
        layers = list(zip(self.weights[::2], self.weights[1::2]))
        for i, (weight, bias) in enumerate(layers):
            x = torch.baddbmm(bias.unsqueeze(1), x, weight.transpose(1, 2))
            x = torch.relu(x) if i + 1 < len(layers) else x
        members = x.shape[0]
        loss = functional.cross_entropy(x.flatten(0, 1), self.problem.classes.repeat(members)) * members
        gradients = torch.autograd.grad(loss, self.weights, create_graph=True)
        return cosine_distance(gradients, self.problem.gradient, lambda o: o.dim())


def descend(search, iterations, rate):
    """Adam on the signs of the derivatives; values at the start, and the lowest."""
    optimiser = torch.optim.Adam([search.variables], lr=rate)
    start = lowest = None
    for step in range(iterations + 1):
        distances = search.distances()
        search.variables.grad = torch.autograd.grad(distances.sum(), search.variables)[0].sign()
        values = distances.detach()
        start = values if start is None else start
        lowest = values if lowest is None else torch.minimum(lowest, values)
        if step < iterations:
            optimiser.step()
    return start.tolist(), lowest.tolist()


def solve(directory, precision, members, iterations, together):
    """One thread; a few iterations are run before, because PyTorch allocates and chooses kernels in them."""
    torch.set_num_threads(1)
    problem = Problem(directory, {"float32": torch.float32, "float64": torch.float64}[precision])
    searches = (lambda: [AllMembers(problem, members)]) if together else (
        lambda: [OneMember(problem, member) for member in range(members)])
    descend(searches()[0], 5, problem.rate)
    begin = time.process_time()
    starts, values = [], []
    for search in searches():
        start, lowest = descend(search, iterations, problem.rate)
        starts += start
        values += lowest
    return {"seconds": time.process_time() - begin, "start_values": starts, "values": values}
