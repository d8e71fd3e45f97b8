"""Our gradient inversion against PyTorch's: same machine, same run, same observation, same start, in turns.

    compare_inversion.py INVERSION_BENCH DIRECTORY     # problem files are written to the directory

Prints a table and fails if the two do not attack the same problem: other values at the start, or other values at the end
of Adam in 64-bit arithmetic. L-BFGS differs in its line search, so there the cost of one evaluation is compared, and the
time until our search is as low as PyTorch's ended.
"""
import json
import pathlib
import subprocess
import sys

from inversion_reference import Problem, solve

TURNS = 3
SAME_START = {"float64": 1e-9, "float32": 1e-4}
SAME_END = 1e-3  # of Adam in double: rounding grows along the way


def ours(program, problem, precision, target=None):
    command = [program, "solve", problem.name, str(problem.victim), precision]
    if target is not None:
        command.append(repr(target))
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def best(runs):
    return min(runs, key=lambda run: run["seconds"])


def per_evaluation(run):
    return 1e6 * run["seconds"] / run["evaluations"]


def apart(a, b):
    return abs(a - b) / max(abs(a), abs(b))


def compare(program, problem, precision):
    """Both, in turns; the best time of each."""
    runs = {"ours": [], "torch": [], "to_target": []}
    for _ in range(TURNS):
        runs["torch"].append(solve(problem, precision))
        runs["ours"].append(ours(program, problem, precision))
        if problem.descent["method"] == "lbfgs":
            runs["to_target"].append(ours(program, problem, precision, runs["torch"][-1]["value"]))
    return {who: best(of) for who, of in runs.items() if of}


def differences(problem, precision, result):
    own, reference = result["ours"], result["torch"]
    if apart(own["start_value"], reference["start_value"]) > SAME_START[precision]:
        yield f"the values at the start are {own['start_value']} and {reference['start_value']}"
    if "to_target" in result:
        if result["to_target"]["value"] > reference["value"]:
            yield f"ours ended at {result['to_target']['value']}, PyTorch's at {reference['value']}"
    elif precision == "float64" and apart(own["value"], reference["value"]) > SAME_END:
        yield f"the values at the end are {own['value']} and {reference['value']}"


def row(problem, precision, result):
    own, reference = result["ours"], result["torch"]
    same_loss = result.get("to_target", own)
    return (f"| {problem.name} {problem.victim} | {precision} | {own['evaluations']} / {reference['evaluations']} "
            f"| {per_evaluation(own):.1f} | {per_evaluation(reference):.1f} "
            f"| {per_evaluation(reference) / per_evaluation(own):.1f} "
            f"| {same_loss['seconds']:.3f} | {reference['seconds']:.3f} "
            f"| {reference['seconds'] / same_loss['seconds']:.1f} | {same_loss['value']:.3g} / {reference['value']:.3g} |")


def main(program, directory):
    subprocess.run([program, "problems", directory], check=True)
    print("ours / PyTorch on one thread each, processor time, best of", TURNS)
    print("| attack | numbers | evaluations | µs each, ours | PyTorch | ratio | seconds to the same value, ours | PyTorch | ratio "
          "| value |")
    print("|---|---|---|---:|---:|---:|---:|---:|---:|---|", flush=True)
    complaints = []
    for path in sorted(pathlib.Path(directory).glob("*.json")):
        problem = Problem(path)
        for precision in ("float64", "float32"):
            result = compare(program, problem, precision)
            print(row(problem, precision, result), flush=True)
            complaints += [f"{path.stem} in {precision}: {text}" for text in differences(problem, precision, result)]
    for text in complaints:
        print("not the same attack:", text, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
