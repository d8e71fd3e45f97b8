// Maps of a collection of places. Row 0 is the northernmost and column 0 the easternmost, so columns are drawn
// from the right.

const charts = [];
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const percent = (share) => (100 * share).toFixed(share < 0.001 ? 3 : 2) + " %";
const digits = (value) => typeof value === "number" ? String(Number(value.toPrecision(4))) : String(value);
const unit = data.mechanism.unit;

function degrees(low, high, cells, index) { return (low + (high - low) * (index + 0.5) / cells).toFixed(4); }

// A figure with one heat map; cells holding nothing at all stay blank, so that empty places are seen as such.
function mapFigure(title, note, grid, values, show) {
  const box = el("div", { class: "chart", role: "img", "aria-label": title });
  const figure = el("figure", null, el("figcaption", null, title), box, el("p", { class: "quiet" }, note));
  const numbers = values.filter((v) => typeof v === "number");
  const points = values.map((v, i) => [grid.columns - 1 - (i % grid.columns), Math.floor(i / grid.columns), v])
    .filter((point) => typeof point[2] === "number");
  const draw = () => {
    const chart = echarts.getInstanceByDom(box) || echarts.init(box, null, { renderer: "canvas" });
    chart.setOption({
      animation: false,
      grid: { left: 70, right: 20, top: 15, bottom: 80 },
      tooltip: { formatter: (p) => show(p.value[2]) + " · row " + p.value[1] + ", column " + (grid.columns - 1 - p.value[0]) },
      xAxis: { type: "category", data: [...Array(grid.columns).keys()].map((i) => degrees(grid.box.west, grid.box.east, grid.columns, i)),
        axisLabel: { color: colour("--quiet") }, splitLine: { show: true, lineStyle: { color: colour("--line") } } },
      yAxis: { type: "category", inverse: true, data: [...Array(grid.rows).keys()].map((i) => degrees(grid.box.north, grid.box.south, grid.rows, i)),
        axisLabel: { color: colour("--quiet") }, splitLine: { show: true, lineStyle: { color: colour("--line") } } },
      visualMap: { min: Math.min(...numbers), max: Math.max(Math.min(...numbers) + 1e-12, ...numbers), calculable: true, orient: "horizontal",
        left: "center", bottom: 0, itemHeight: 180, textStyle: { color: colour("--quiet") }, formatter: show,
        inRange: { color: ["#f3f6f8", "#9cc4dd", "#3f86b0", "#1f4f78", "#0c2136"] } },
      series: [{ type: "heatmap", data: points, emphasis: { itemStyle: { borderColor: colour("--ink"), borderWidth: 1 } } }]
    }, true);
  };
  charts.push({ box, draw });
  return figure;
}

function statementBox(title, statement) {
  const guarantee = statement.private ? "ε = " + digits(statement.epsilon) + " per " + unit + (statement.delta > 0 ? ", δ = " + digits(statement.delta) : "")
    : "no guarantee";
  return el("div", { class: "box" + (statement.private ? "" : " none") }, el("h3", null, title), el("p", { class: "guarantee" }, guarantee),
    definitions([["definition", statement.definition], ["protects", statement.unit], ["adjacency", statement.adjacency],
      ["against", statement.adversary], ["assuming", el("ul", null, ...statement.assumptions.map((a) => el("li", null, a)))]]));
}

function showStatements() {
  fill("statement", el("div", { class: "boxes" }, statementBox("One report", data.statement),
    statementBox("Whoever reports most", data.user_statement)));
}

function showMaps() {
  if (!data.grid) { fill("maps", absent("Places of a metric file have no map.")); return; }
  const total = data.reports.reduce((a, b) => a + b, 0);
  const truth = data.by_place.truth;
  fill("maps", el("div", { class: "charts" },
    mapFigure("Reports as collected", "Share of all reports by the cell reported" +
      (data.report_grid.rows > data.grid.rows ? "; the map is wider than the places, because noise may fall beyond." : "."),
      data.report_grid, data.reports.map((n) => n / total), percent),
    mapFigure("Estimate from the reports", "Share of visits by cell (iterative Bayesian update).", data.grid, data.by_place.estimate, percent),
    mapFigure("Standard error of the estimate", "Parametric bootstrap; it measures variance, not what stopping early adds in bias.",
      data.grid, data.by_place.standard_error, percent),
    truth ? mapFigure("Truth (experiment only)", "Shares of the check-ins themselves, which no collector has.", data.grid, truth, percent) : null));
}

function showExposure() {
  if (!data.grid) { hide("exposure"); return; }
  fill("exposure", el("div", { class: "charts" },
    mapFigure("Probability of reporting the place itself", "High where somebody is given away most often.", data.grid, data.by_place.self_report, percent),
    mapFigure("Tight ε of each place, per " + unit, "The least for which the place is hidden among all others; the promise is the largest.",
      data.grid, data.by_place.epsilon, digits),
    mapFigure("Expected distance of a report, in " + unit + "s", "The loss of quality of service.", data.grid, data.by_place.expected_distance, digits)));
}

function showCollector() {
  const c = data.collector;
  const entries = [["a report lies off by", digits(c.expected_distance) + " " + unit + "s on average"],
    ["the best guess of a place", "from a report is off by " + digits(c.adversary_error) + " " + unit + "s, without any report by " + digits(c.blind_error)],
    ["a report tells", digits(c.leaked_bits) + " bits about its place"],
    ["between any two places", "ε = " + digits(data.mechanism.local_epsilon) + " of local differential privacy"]];
  if (data.truth) entries.push(["the estimate is off by", digits(data.truth.earth_movers_distance) + " " + unit + "s (earth mover's distance); a uniform guess by " +
    digits(data.truth.uniform_guess_distance)], ["error bars hold the truth", "for " + percent(data.truth.covered_by_error_bars) + " of the places"]);
  fill("collector", definitions(entries));
}

function showLargest() {
  const p = data.by_place;
  const order = p.estimate.map((_, i) => i).sort((a, b) => p.estimate[b] - p.estimate[a]).slice(0, 25);
  const name = (i) => data.grid ? "row " + Math.floor(i / data.grid.columns) + ", column " + (i % data.grid.columns) : "place " + i;
  const columns = [{ title: "place", cell: name }, { title: "estimate", number: true, cell: (i) => percent(p.estimate[i]) },
    { title: "error bars", number: true, cell: (i) => percent(p.lower[i]) + " to " + percent(p.upper[i]) },
    { title: "reports itself", number: true, cell: (i) => percent(p.self_report[i]) }];
  if (p.truth) columns.push({ title: "truth", number: true, cell: (i) => percent(p.truth[i]) });
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
for (const each of charts) each.draw();
addEventListener("resize", () => { for (const each of charts) echarts.getInstanceByDom(each.box).resize(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { for (const each of charts) each.draw(); });
