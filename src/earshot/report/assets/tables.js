// An attack on the rows of a table: which columns leak, whether confidence can be trusted, true and reconstructed rows.

function scoreColumns() {
  return [{ title: "Right", number: true, cell: (s) => percent(s.accuracy) },
    { title: "Random cells", number: true, cell: (s) => percent(s.random) },
    { title: "Likeliest value", number: true, cell: (s) => percent(s.likeliest) }];
}

// A bar as long as the share; its mark is what guessing gets.
function bar(score) {
  const guess = Math.max(score.random || 0, score.likeliest || 0);
  const filled = el("span", { class: (score.accuracy || 0) > guess ? "filled above" : "filled" });
  filled.style.width = 100 * (score.accuracy || 0) + "%";
  const mark = el("span", { class: "mark" });
  mark.style.left = 100 * guess + "%";
  return el("span", { class: "bar", title: percent(score.accuracy) + " right, guessing " + percent(guess) }, filled, mark);
}

function columnsTable(found) {
  return table([{ title: "Column", cell: (c) => c.name }, { title: "Kind", cell: (c) => c.kind }, ...scoreColumns(),
    { title: "Above guessing", number: true, cell: (c) => c.gain > 0 ? el("span", { class: "bad" }, points(c.gain)) : points(c.gain) },
    { title: "", cell: bar }], found.columns);
}

function points(share) { return (share < 0 ? "−" : "+") + Math.abs(100 * share).toFixed(1) + " points"; }

function confidenceTable(found, kind, title) {
  const parts = found.confidence.filter((p) => p.kind === kind);
  if (parts.length === 0) return null;
  const name = (p) => p.part === 1 ? "most confident" : p.part === parts.length ? "least confident" : String(p.part);
  return el("div", null, el("h3", null, title), table([{ title: "Tenth", cell: name }, { title: "Cells", number: true, cell: (p) => number(p.cells) },
    ...scoreColumns(), { title: "", cell: bar }], parts));
}

// What the attacker's confidence in one cell is worth.
function trust(share) {
  if (share === null) return null;
  return el("span", { class: "trust", title: "of cells about which the attacker is as sure, " + percent(share) + " are right" }, percent(share));
}

// The true row above the reconstructed one; wrong cells are struck in words as well as in colour.
function rowsTable(found) {
  if (found.rows.length === 0) return absent("No rows were kept to be shown.");
  const head = el("tr", null, el("th", { scope: "col" }, ""), ...found.rows[0].cells.map((c) => el("th", { scope: "col" }, c[0])));
  const lines = found.rows.flatMap((row) => [
    el("tr", { class: "true-row" }, el("th", { scope: "row" }, row.victim + ", round " + row.round + ", row " + row.row),
      ...row.cells.map((c) => el("td", null, c[1]))),
    el("tr", null, el("th", { scope: "row", class: "quiet" }, "reconstructed"),
      ...row.cells.map((c) => c[3] ? el("td", { class: "right-cell" }, c[2], trust(c[4]))
        : el("td", { class: "wrong-cell" }, el("span", { "aria-label": "wrong" }, "✗ "), c[2], trust(c[4]))))]);
  return el("div", { class: "scroll" }, el("table", { class: "rows" }, el("thead", null, head), el("tbody", null, ...lines)));
}

function showTables() {
  if (!data.cells.some((c) => c.table)) return hide("tables");
  const cell = currentCell();
  if (!cell.table) return fill("tables", absent("No rows of tables were attacked in this setting."));
  const found = cell.table;
  const tries = found.attacks + (found.attacks === 1 ? " step" : " steps") + " of victims attacked"
    + (found.failed ? ", " + found.failed + " without any result" : "")
    + (found.deviation !== null ? "; standard deviation over steps " + (100 * found.deviation).toFixed(1) + " points" : "") + ".";
  fill("tables", data.cells.length > 1 ? el("p", { class: "quiet" }, "In setting: " + cellLongName(cell) + ".") : null,
    el("p", { class: "verdict" }, found.verdict), el("p", { class: "quiet" }, tries),
    el("h3", null, "Which columns leak first"), found.leaking ? el("p", null, found.leaking)
      : el("p", null, "No column is read back noticeably better than it can be guessed."), columnsTable(found),
    el("p", { class: "quiet" }, "The mark on each bar is what the better of the two guesses gets right without listening."),
    el("h3", null, "Does the attacker know when it is right?"), found.confident ? el("p", null, found.confident) : null,
    el("div", { class: "boxes" }, ...[confidenceTable(found, "category", "Categories"), confidenceTable(found, "number", "Numbers")].filter(Boolean)),
    el("h3", null, "True and reconstructed rows"),
    el("p", { class: "quiet" }, "Rows paired such that most cells agree. ✗ marks a wrong cell; a number is right within 0.319 deviations of its column. "
      + "The percentage beside a cell says how often cells about which the attacker is as sure are right: its confidence, measured."),
    rowsTable(found));
}
