"""TabLeak here against TabLeak in PyTorch: same machine, same run, same observation, same starts, in turns.

    compare_tableak.py TABLEAK_BENCH DIRECTORY [MEMBERS]

The problem is written to the directory. PyTorch searches MEMBERS of the 30 members one after the other (default 30; their
time is proportional to their number, so fewer give the same ratio sooner) and all in one batch. First both are held to
the same values in 64-bit arithmetic after a few steps: later, steps along signs amplify rounding, so the values at the
end are compared as they are distributed. Fails if the two do not attack the same problem.
"""
import json
import statistics
import subprocess
import sys

from tableak_reference import solve

MEMBERS = 30
ITERATIONS = 1500
FEW = 10           # steps after which values must still agree
SAME = 1e-7        # in 64-bit arithmetic


def ours(program, precision, members, iterations):
    command = [program, "solve", precision, str(members), str(iterations)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def apart(a, b):
    return max(abs(x - y) / max(abs(x), abs(y)) for x, y in zip(a, b, strict=True))


def check(program, directory):
    own = ours(program, "float64", 4, FEW)
    for together in (False, True):
        reference = solve(directory, "float64", 4, FEW, together)
        for key in ("start_values", "values"):
            distance = apart(own[key], reference[key])
            print(f"{key} of 4 members in float64, {FEW} steps, {'one batch' if together else 'one by one'}: "
                  f"largest relative difference {distance:.1e}")
            if distance > SAME:
                sys.exit("not the same attack")


def row(name, seconds, own, values):
    print(f"| {name} | {seconds:.1f} | {seconds / own:.1f} | {statistics.median(values):.2e} | {min(values):.2e} |", flush=True)


def main(program, directory, members):
    subprocess.run([program, "problem", directory], check=True)
    check(program, directory)
    print(f"One attack, batch 8, {MEMBERS} members, {ITERATIONS} iterations, float32, one thread, processor time")
    print("| | seconds | times ours | median value at the end | lowest |")
    print("|---|---:|---:|---:|---:|", flush=True)
    own = min((ours(program, "float32", MEMBERS, ITERATIONS) for _ in range(2)), key=lambda run: run["seconds"])
    row("earshot, the whole attack", own["seconds"], own["seconds"], own["values"])
    together = solve(directory, "float32", MEMBERS, ITERATIONS, together=True)
    row("PyTorch, searches only, all members in one batch", together["seconds"], own["seconds"], together["values"])
    single = solve(directory, "float32", members, ITERATIONS, together=False)
    name = "PyTorch, searches only, members one after the other"
    if members < MEMBERS:
        name += f" ({members} measured: {single['seconds']:.1f} s, times {MEMBERS / members:g})"
    row(name, single["seconds"] * MEMBERS / members, own["seconds"], single["values"])
    again = ours(program, "float32", MEMBERS, ITERATIONS)
    row("earshot again, after PyTorch", again["seconds"], own["seconds"], again["values"])
    print(f"right cells: {own['accuracy']:.1%}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) == 4 else MEMBERS)
