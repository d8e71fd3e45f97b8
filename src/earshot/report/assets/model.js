// The data of a run and the three choices a reader makes: cell, attacker, and what colours mean.

// The order in which view.cpp writes a pair; missing values at the end are left out.
const PAIR_FIELDS = ["attacker", "victim", "determined", "round", "amplification", "beyond", "distance", "success",
  "psnr", "zero", "mean", "ssim", "error"];

// Runs that neither had a network nor tried an attacker, such as collections of places, show none.
const HAS_NETWORK = data.cells.some((cell) => cell.network !== null || cell.attackers.length > 0);

// Beside-each-other beats one-after-the-other while it still fits.
const CELLS_SIDE_BY_SIDE = 3;

function unpackPair(row) {
  const pair = {};
  PAIR_FIELDS.forEach((field, i) => { pair[field] = i < row.length ? row[i] : null; });
  return pair;
}

for (const cell of data.cells) {
  const byAttacker = cell.attackers.map(() => new Map());
  for (const row of cell.pairs) {
    const pair = unpackPair(row);
    byAttacker[pair.attacker].set(pair.victim, pair);
  }
  cell.pairsOf = byAttacker;
  cell.attackerOfNode = new Map();
  cell.attackers.forEach((attacker, a) => {
    for (const node of attacker.members) {
      const known = cell.attackerOfNode.get(node);
      if (known === undefined || attacker.members.length < cell.attackers[known].members.length)
        cell.attackerOfNode.set(node, a);
    }
  });
  cell.hasScores = cell.attackers.some((attacker) => attacker.success !== null || attacker.psnr !== null);
}

const choice = { cell: 0, attacker: null, colour: "attacker", heat: null };
const watchers = [];

function currentCell() { return data.cells[choice.cell]; }

// The same attacker keeps being chosen in another cell when that cell has it; else the one that reaches most.
function attackerIn(cell) {
  const same = cell.attackers.findIndex((attacker) => attacker.label === choice.attacker);
  if (same >= 0) return same;
  let best = cell.attackers.length > 0 ? 0 : -1;
  cell.attackers.forEach((attacker, a) => {
    if ((attacker.leak || 0) > (cell.attackers[best].leak || 0)) best = a;
  });
  return best;
}

function currentAttacker() { return attackerIn(currentCell()); }

function choose(change) {
  Object.assign(choice, change);
  for (const watcher of watchers) watcher(change);
}

function cellName(cell) { return cell.guarantee || cell.label; }

function cellLongName(cell) {
  return cell.guarantee && cell.label !== "this run" ? cell.guarantee + " · " + cell.label : cellName(cell);
}
