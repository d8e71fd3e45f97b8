// A collection of places: what it promises, its maps, and what the collector can say.

const unit = data.mechanism.unit;

function promise(statement) {
  return "ε = " + number(statement.epsilon) + " per " + unit + (statement.delta > 0 ? ", δ = " + number(statement.delta) : "");
}

function showStatements() {
  fill("statement", el("div", { class: "boxes" }, statementBox(el("h3", null, "One report"), data.statement, promise(data.statement)),
    statementBox(el("h3", null, "Whoever reports most"), data.user_statement, promise(data.user_statement))));
}

function fillMaps(section, maps) {
  fill(section, el("div", { class: "maps" }, ...maps.map(mapFigure)));
  drawMaps(section, maps);
}

function showMaps() {
  if (!data.grid) { fill("maps", absent("Places of a metric file have no map.")); return; }
  const { grid, report_grid, reports } = data;
  const { estimate, standard_error, truth } = data.by_place;
  const total = reports.reduce((a, b) => a + b, 0);
  const shares = reports.map((n) => n / total);
  const scale = { show: finePercent, low: 0, high: largest(shares, estimate, truth || []) };
  const maps = [
    { title: "Reports as collected", note: reportsNote(grid, report_grid), grid: report_grid, values: shares, ...scale },
    { title: "Estimate from the reports", note: "Share of visits by cell (iterative Bayesian update).", grid, values: estimate, ...scale }];
  if (truth) maps.push({ title: "Truth (experiment only)", note: "Shares of the check-ins themselves, which no collector has.", grid, values: truth, ...scale });
  maps.push({ title: "Standard error of the estimate", note: "Parametric bootstrap; it measures variance, not what stopping early adds in bias.",
    grid, values: standard_error, show: finePercent });
  fillMaps("maps", maps);
}

function showExposure() {
  if (!data.grid) { hide("exposure"); return; }
  const grid = data.grid, places = data.by_place;
  fillMaps("exposure", [
    { title: "Probability of reporting the place itself", note: "High where somebody is given away most often.", grid, values: places.self_report, show: finePercent },
    { title: "Tight ε of each place, per " + unit, note: "The least for which the place is hidden among all others; the promise is the largest.",
      grid, values: places.epsilon, show: (v) => number(v) },
    { title: "Expected distance of a report, in " + unit + "s", note: "The loss of quality of service.", grid, values: places.expected_distance, show: (v) => number(v) }]);
}

function showCollector() {
  const c = data.collector;
  const entries = [["a report lies off by", number(c.expected_distance) + " " + unit + "s on average"],
    ["the best guess of a place", "from a report is off by " + number(c.adversary_error) + " " + unit + "s, without any report by " + number(c.blind_error)],
    ["a report tells", number(c.leaked_bits) + " bits about its place"],
    ["between any two places", "ε = " + number(data.mechanism.local_epsilon) + " of local differential privacy"]];
  if (data.truth) entries.push(["the estimate is off by", number(data.truth.earth_movers_distance) + " " + unit + "s (earth mover's distance); a uniform guess by " +
    number(data.truth.uniform_guess_distance)], ["error bars hold the truth", "for " + finePercent(data.truth.covered_by_error_bars) + " of the places"]);
  fill("collector", definitions(entries));
}

function showLargest() {
  const p = data.by_place;
  const order = p.estimate.map((_, i) => i).sort((a, b) => p.estimate[b] - p.estimate[a]).slice(0, 25);
  const name = (i) => data.grid ? "row " + Math.floor(i / data.grid.columns) + ", column " + (i % data.grid.columns) : "place " + i;
  const columns = [{ title: "place", cell: name }, { title: "estimate", number: true, cell: (i) => finePercent(p.estimate[i]) },
    { title: "error bars", number: true, cell: (i) => finePercent(p.lower[i]) + " to " + finePercent(p.upper[i]) },
    { title: "reports itself", number: true, cell: (i) => finePercent(p.self_report[i]) }];
  if (p.truth) columns.push({ title: "truth", number: true, cell: (i) => finePercent(p.truth[i]) });
  fill("largest", table(columns, order));
}

const visits = data.check_ins;
document.getElementById("headline").textContent = visits.reported + " reports through " + data.mechanism.name +
  (data.simulated ? ", simulated" : "");
document.getElementById("facts").textContent = data.places + " places · " +
  (visits.users === null ? "no user ids" : visits.users + " users") + " · " + visits.dropped_outside + " outside dropped, " + visits.moved_inside + " moved inside";
showStatements();
showMaps();
showExposure();
showCollector();
showLargest();
fill("reproduce", el("pre", null, data.command));
keepDrawn(() => { showMaps(); showExposure(); });
