// What all drawings share; they are drawn by ECharts. Hover texts are elements, so names cannot become markup.

const charts = new Map();
let printing = false;

function palette() {
  const dark = !printing && matchMedia("(prefers-color-scheme: dark)").matches;
  return dark
    ? { ink: "#e4e8eb", quiet: "#9aa6af", line: "#46525c", surface: "#1b2126", tip: "#262e35", chosen: "#7db8e0",
      ramp: ["#34424e", "#6f5a4a", "#b8643f", "#ff7d72"], none: "#242c33", map: ["#20272d", "#27506e", "#3f86b0", "#9cc4dd", "#f3f6f8"],
      series: ["#7db8e0", "#f0a35e", "#8fce9f", "#d9a0dc", "#e8d16c", "#9fb0ff", "#f28f8f", "#8fd6d2"] }
    : { ink: "#1e2429", quiet: "#5b666f", line: "#b9c1c7", surface: "#ffffff", tip: "#ffffff", chosen: "#1f5f8b",
      ramp: ["#dbe4ea", "#f3cfa0", "#e3814f", "#a8201a"], none: "#f3f2ee", map: ["#f3f6f8", "#9cc4dd", "#3f86b0", "#1f4f78", "#0c2136"],
      series: ["#1f5f8b", "#c4622d", "#2f7d4f", "#7f4b93", "#94760f", "#4b57a8", "#a8201a", "#1d7874"] };
}

function tip(title, lines) {
  const box = el("div", { class: "tip" }, el("b", null, title));
  for (const line of lines.filter(Boolean)) box.append(el("div", null, line));
  return box;
}

function tooltip(formatter, extra) {
  const colours = palette();
  return Object.assign({ confine: true, backgroundColor: colours.tip, borderColor: colours.line,
    textStyle: { color: colours.ink }, formatter }, extra);
}

// One chart per key, kept while its element is on the page.
function draw(key, element, option, onClick) {
  let chart = charts.get(key);
  if (!chart || chart.getDom() !== element) {
    if (chart) chart.dispose();
    chart = echarts.init(element, null, { renderer: "canvas" });
    charts.set(key, chart);
    if (onClick) chart.on("click", onClick);
  }
  chart.setOption(Object.assign({ animation: false, textStyle: { fontFamily: "inherit" } }, option), { notMerge: true });
}

function chartBox(label) { return el("div", { class: "chart", role: "img", "aria-label": label }); }

// Calls `redraw` when a colour scheme or a printer changes the colours; a change of size needs no redrawing.
function keepDrawn(redraw) {
  addEventListener("resize", () => { for (const chart of charts.values()) chart.resize(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("beforeprint", () => { printing = true; redraw(); });
  addEventListener("afterprint", () => { printing = false; redraw(); });
}
