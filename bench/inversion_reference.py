"""The attacks of bench/inversion_bench.cpp in PyTorch: double backward and PyTorch's own optimisers.

Reads the problems that program writes, so observation, start and settings are the same, and answers with the same
numbers: seconds of processor time, iterations, evaluations, value at the start, lowest value.
"""
import json
import pathlib
import time

import torch
from torch.nn import functional


class Problem:
    """A problem file: the description NAME.json and its 64-bit numbers NAME.bin."""

    def __init__(self, path):
        path = pathlib.Path(path)
        self.__dict__.update(json.loads(path.read_text()))
        numbers = torch.frombuffer(bytearray(path.with_suffix(".bin").read_bytes()), dtype=torch.float64)
        channels, height, width = self.architecture["input"]
        size = self.records * channels * height * width
        rest = len(numbers) - 2 * self.parameters - size
        self.weights, self.gradient, self.start, self.labels = numbers.split([self.parameters, self.parameters, size, rest])


def cut(numbers, layers, shape, dtype):
    """One flat vector as the weights and biases of the layers, in order."""
    parts, at = [], 0
    channels, height, width = shape

    def take(*size):
        nonlocal at
        count = torch.Size(size).numel()
        parts.append(numbers[at:at + count].to(dtype).reshape(size).clone())
        at += count

    for layer in layers:
        if layer["kind"] == "convolve":
            kernel = (layer["kernel_height"], layer["kernel_width"])
            take(layer["channels"], channels, *kernel)
            take(layer["channels"])
            channels = layer["channels"]
            height = (height + 2 * layer["padding_height"] - kernel[0]) // layer["stride"] + 1
            width = (width + 2 * layer["padding_width"] - kernel[1]) // layer["stride"] + 1
        elif layer["kind"] == "dense":
            take(layer["outputs"], channels * height * width)
            take(layer["outputs"])
            channels, height, width = layer["outputs"], 1, 1
    assert at == len(numbers)
    return parts


def outputs(layers, parameters, x):
    remaining = iter(parameters)
    for layer in layers:
        if layer["kind"] == "convolve":
            x = functional.conv2d(x, next(remaining), next(remaining), layer["stride"],
                                  (layer["padding_height"], layer["padding_width"]))
        elif layer["kind"] == "dense":
            x = functional.linear(x.flatten(1), next(remaining), next(remaining))
        else:
            x = getattr(torch, layer["function"])(x)
    return x


class Search:
    """Squared distance of gradients as a function of the records and, unless they are known, the labels' logits."""

    def __init__(self, problem, dtype):
        self.problem = problem
        self.layers = problem.architecture["layers"]
        shape = problem.architecture["input"]
        self.parameters = [p.requires_grad_() for p in cut(problem.weights, self.layers, shape, dtype)]
        self.observed = cut(problem.gradient, self.layers, shape, dtype)
        self.records = problem.start.to(dtype).reshape(problem.records, *shape).clone().requires_grad_()
        labels = problem.labels.to(dtype).reshape(problem.records, -1).clone()
        self.classes = labels.argmax(1) if problem.known_labels else None
        self.logits = None if problem.known_labels else labels.requires_grad_()
        self.variables = [self.records] if problem.known_labels else [self.records, self.logits]
        self.values = []

    def loss(self):
        out = outputs(self.layers, self.parameters, self.records)
        if self.classes is not None:
            return functional.cross_entropy(out, self.classes)
        return -(functional.softmax(self.logits, 1) * functional.log_softmax(out, 1)).sum(1).mean()

    def evaluate(self):
        """The objective; leaves its derivatives in the variables, and computes no others."""
        gradients = torch.autograd.grad(self.loss(), self.parameters, create_graph=True)
        distance = sum(((g - o) ** 2).sum() for g, o in zip(gradients, self.observed))
        for variable, slope in zip(self.variables, torch.autograd.grad(distance, self.variables)):
            variable.grad = slope
        self.values.append(distance.item())
        return distance

    def run(self, iterations=None):
        descent = self.problem.descent
        iterations = iterations or descent["iterations"]
        if descent["method"] == "adam":
            optimiser = torch.optim.Adam(self.variables, lr=descent["rate"])
            for _ in range(iterations):
                self.evaluate()
                optimiser.step()
            self.evaluate()
            return iterations + 1  # ours steps once more after the last evaluation
        optimiser = torch.optim.LBFGS(self.variables, max_iter=iterations, max_eval=100 * iterations, tolerance_grad=0,
                                      tolerance_change=0, history_size=descent["history"], line_search_fn="strong_wolfe")
        optimiser.step(self.evaluate)
        return optimiser.state[self.records]["n_iter"]


def solve(problem, precision):
    """One thread; the first few iterations are run twice, because PyTorch allocates and chooses kernels in them."""
    torch.set_num_threads(1)
    dtype = {"float32": torch.float32, "float64": torch.float64}[precision]
    Search(problem, dtype).run(5)
    search = Search(problem, dtype)
    begin = time.process_time()
    iterations = search.run()
    return {"seconds": time.process_time() - begin, "iterations": iterations, "evaluations": len(search.values),
            "start_value": search.values[0], "value": min(search.values)}
