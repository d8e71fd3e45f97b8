// The parts of a report that are text, tables and pictures.

function guaranteeMark(cell) {
  if (!cell.statement) return el("span", { class: "quiet" }, "not stated");
  return cell.statement.private ? cell.guarantee : el("span", { class: "bad" }, cell.guarantee);
}

function showHeader() {
  document.getElementById("title").textContent = data.title;
  document.getElementById("headline").textContent = data.headline;
  if (data.title) document.title = data.title + " – earshot report";
  const facts = [data.reference, data.seed && "seed " + data.seed, data.trials && data.trials + (data.trials === "1" ? " trial" : " trials"),
    data.version && "earshot " + data.version];
  document.getElementById("facts").textContent = facts.filter(Boolean).join(" · ");
}

function showChoices() {
  const nav = document.getElementById("choices");
  const cell = data.cells.length > 0 ? currentCell() : null;
  nav.hidden = !cell || (data.cells.length < 2 && cell.attackers.length < 2);
  if (nav.hidden) return;
  const parts = [];
  if (data.cells.length > 1) {
    const options = data.cells.map((c, i) => [i, data.cells.length > 4 ? cellLongName(c) : cellName(c)]);
    const pick = (index) => choose({ cell: index });
    parts.push(data.cells.length > 4 ? selector("Setting", options, choice.cell, pick)
      : el("div", { class: "choice" }, el("span", null, "Setting"), switcher("Setting", options, choice.cell, pick)));
  }
  if (cell.attackers.length > 1)
    parts.push(selector("Attacker", cell.attackers.map((a) => [a.label, a.label]),
      cell.attackers[currentAttacker()].label, (label) => choose({ attacker: label })));
  nav.replaceChildren(...parts);
}

function showGlance() {
  if (data.cells.length === 0) return fill("glance", absent("The document holds no results of a run."));
  const columns = data.swept.map((title, k) => ({ title, cell: (c) => c.swept[k] || "–" }));
  if (columns.length === 0) columns.push({ title: "Setting", cell: (c) => c.label });
  columns.push({ title: "Guarantee", cell: guaranteeMark });
  const add = (title, key, text) => {
    if (data.cells.some((c) => c[key] !== null)) columns.push({ title, number: true, cell: (c) => text(c[key]) });
  };
  if (data.cells.some((c) => c.attackers.length > 1))
    columns.push({ title: "Reconstruct most", number: true,
      cell: (c) => c.attackers.length ? c.reconstruct_most + " of " + c.attackers.length : "–" });
  add("Determined", "mean_determined", percent);
  add("Success", "mean_success", percent);
  add("PSNR", "psnr", decibel);
  add("Zero guess", "zero_psnr", decibel);
  add("Mean guess", "mean_psnr", decibel);
  add("Cells right", "cells_right", percent);
  add("Random cells", "cells_random", percent);
  add("Likeliest cells", "cells_likeliest", percent);
  add("Accuracy", "accuracy", percent);
  add("Always the majority", "baseline", percent);
  add("Loss", "loss", (v) => number(v, 3));
  add("Consensus error", "consensus_error", (v) => number(v, 3));
  fill("glance", table(columns, data.cells, data.cells.length > 1 ? (row, i) => choose({ cell: i }) : null,
    (row, i) => data.cells.length > 1 && i === choice.cell),
  el("p", { class: "quiet" }, (data.cells.some((c) => c.mean_determined !== null)
    ? "Determined: share of the other nodes whose values the messages fix exactly, noise aside." : "")
    + (data.cells.some((c) => c.table) ? "Cells right: share of the victims' cells the attack reads back, beside cells drawn at random "
      + "from their columns and each column's likeliest value." : "")
    + (data.cells.some((c) => c.mean_success !== null) ? " Success: share of them the attack reconstructs above the success line." : "")
    + (data.cells.some((c) => c.psnr !== null) ? " PSNR stands beside what guessing an all-zero or a mean image scores without listening." : "")));
}

function cellStatement(cell) {
  const s = cell.statement;
  const name = data.cells.length > 1 ? el("h3", null, cell.label) : null;
  if (!s) return el("div", { class: "box" }, name, absent("This run makes no formal statement, so it claims no privacy."));
  return statementBox(name, s, s.guarantee + (s.delta !== null ? ", δ = " + number(s.delta) : ""));
}

// What a training promises against each adversary: rows of adversary, epsilon, delta, unit, definition, assumptions.
function promisesTable(cell) {
  if (cell.promises.length === 0) return null;
  return table([
    { title: "Against", cell: (p) => p[0] },
    { title: "ε", number: true, cell: (p) => p[1] === null ? el("span", { class: "bad" }, "no privacy") : number(p[1]) },
    { title: "δ", number: true, cell: (p) => p[1] === null ? "–" : number(p[2]) },
    { title: "Protects", cell: (p) => p[3] },
    { title: "Definition", cell: (p) => p[4] },
    { title: "Assuming", cell: (p) => p[5] || "–" }], cell.promises);
}

function showStatement() {
  if (data.cells.length === 0) return hide("statement");
  const cells = data.cells.length <= CELLS_SIDE_BY_SIDE ? data.cells : [currentCell()];
  fill("statement", el("div", { class: "boxes" }, ...cells.map(cellStatement)), promisesTable(currentCell()));
}

function frame(image, caption, alt, ...details) {
  const picture = image ? el("img", { src: "data:image/png;base64," + image, alt })
    : el("div", { class: "missing" }, "no image");
  return el("div", { class: "frame" }, picture, el("strong", null, caption), ...details.map((d) => el("div", null, d)));
}

function galleryCard(victim, label, cells) {
  const truth = cells.map((c) => c.truths[victim]).find(Boolean);
  const frames = [frame(truth, "true", "true data of " + victim)];
  let baselines = null;
  for (const cell of cells) {
    const shot = cell.gallery.find((g) => g.attacker === label && g.victim === victim);
    if (!shot) continue;
    frames.push(frame(shot.image, cellName(cell), "reconstruction of " + victim, decibel(shot.psnr)));
    const a = cell.attackers.findIndex((attacker) => attacker.label === label);
    const pair = a < 0 ? null : cell.pairsOf[a].get(cell.nodes.indexOf(victim));
    if (!baselines && pair && pair.zero !== null)
      baselines = "guess: zero " + number(pair.zero, 3) + ", mean " + decibel(pair.mean);
  }
  return el("div", { class: "card" }, el("h3", null, victim), el("div", { class: "frames" }, ...frames),
    baselines && el("div", { class: "quiet" }, baselines));
}

function showGallery() {
  if (!data.cells.some((c) => c.gallery.length > 0)) {
    if (!data.cells.some((c) => c.attackers.length > 0)) return hide("gallery");
    return fill("gallery", absent("This run kept no images: it either had no data or was not asked to reconstruct any."));
  }
  const cells = data.cells.length <= CELLS_SIDE_BY_SIDE ? data.cells : [currentCell()];
  const a = currentAttacker();
  const label = a < 0 ? "" : currentCell().attackers[a].label;
  const victims = [...new Set(cells.flatMap((c) => c.gallery.filter((g) => g.attacker === label).map((g) => g.victim)))];
  if (victims.length === 0) return fill("gallery", absent("No images were kept of what " + label + " reconstructs. "
    + "Images exist for: " + [...new Set(cells.flatMap((c) => c.gallery.map((g) => g.attacker)))].join(", ") + "."));
  const others = currentCell().nodes.filter((n) => n !== label && !victims.includes(n));
  fill("gallery", el("p", null, "What " + label + " reconstructs from what it hears."),
    el("div", { class: "gallery" }, ...victims.map((v) => galleryCard(v, label, cells))),
    others.length > 0 && others.length < 60 ? el("p", { class: "quiet" }, "No image for: " + others.join(", ") + ".") : null);
}

function showAttackers() {
  if (!HAS_NETWORK) return hide("attackers");
  const cell = currentCell();
  if (cell.attackers.length === 0) return fill("attackers", absent("No attacker was tried in this setting."));
  const columns = [{ title: "Attacker", cell: (a) => a.label }];
  const add = (title, key, text) => {
    if (cell.attackers.some((a) => a[key] !== null)) columns.push({ title, number: true, cell: (a) => text(a[key]) });
  };
  add("Degree", "degree", (v) => number(v, 3));
  add("Eigenvector", "eigenvector", (v) => number(v, 3));
  add("Betweenness", "betweenness", (v) => number(v, 3));
  add("Determined", "determined", percent);
  add("Success", "success", percent);
  add("PSNR", "psnr", decibel);
  add("Zero guess", "zero_psnr", decibel);
  add("Mean guess", "mean_psnr", decibel);
  const rows = [...cell.attackers].sort((a, b) => (b.leak || 0) - (a.leak || 0));
  fill("attackers", el("p", { class: "quiet" }, "In setting: " + cellLongName(cell) + "."),
    table(columns, rows, (a) => choose({ attacker: a.label }), (a) => a === cell.attackers[currentAttacker()]));
}

function showPublished() {
  if (data.expectations.length === 0) return hide("published");
  const mark = { met: "good", missed: "bad" };
  const noted = data.expectations.some((e) => e.note) ? [{ title: "Note", cell: (e) => e.note }] : [];
  fill("published", table([
    { title: "What", cell: (e) => e.what },
    { title: "Source", cell: (e) => e.source },
    { title: "Published", number: true, cell: (e) => e.published },
    { title: "Measured", number: true, cell: (e) => e.measured },
    { title: "Verdict", cell: (e) => el("span", { class: mark[e.verdict] || "quiet" }, e.verdict) },
    ...noted], data.expectations));
}

function showReproduce() {
  const entries = [["Version", data.version ? "earshot " + data.version : "not recorded"], ["Seed", data.seed || "not recorded"],
    ["Trials", data.trials || "not recorded"]];
  if (data.reference) entries.push(["Reference", data.reference]);
  fill("reproduce",
    data.command ? el("pre", null, data.command) : absent("The document does not record the command that made it."),
    definitions(entries),
    data.plan ? el("details", null, el("summary", null, "The whole plan, every default included"), el("pre", null, data.plan))
      : absent("The document does not record its plan."));
}
