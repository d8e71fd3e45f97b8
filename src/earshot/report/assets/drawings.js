// Network, heat map and curves.

const LARGE = 400;         // nodes from which drawing details are left out
const NAMED = 70;          // nodes up to which every name is written
const HEAT_LIMIT = 200;    // rows or columns a heat map stays readable with

function pairLines(pair) {
  if (!pair) return ["its value stays hidden"];
  return [
    pair.determined ? "exactly determined" + (pair.round !== null ? " from round " + number(pair.round) : "") : null,
    pair.beyond ? "but lost in float64 rounding" : null,
    pair.amplification !== null ? "a unit of noise becomes " + number(pair.amplification, 3) : null,
    pair.psnr !== null ? "PSNR " + decibel(pair.psnr) + " (guessing: zero " + decibel(pair.zero) + ", mean " + decibel(pair.mean) + ")" : null,
    pair.ssim !== null ? "SSIM " + number(pair.ssim, 3) : null,
    pair.error !== null ? "relative error " + number(pair.error, 3) : null,
    pair.success !== null ? "reconstructed in " + percent(pair.success) + " of trials" : null,
    pair.distance !== null ? "distance " + number(pair.distance) : null];
}

// What colours a node: 0 … 1, or null when the run says nothing about it.
function nodeValue(cell, node) {
  if (choice.colour === "victim") return cell.attackers.length ? cell.exposed_to[node] / cell.attackers.length : null;
  if (choice.colour === "attacker") {
    const a = cell.attackerOfNode.get(node);
    return a === undefined ? null : cell.attackers[a].leak;
  }
  const a = currentAttacker();
  if (a < 0 || !cell.attackers[a].pairs_kept || cell.attackers[a].members.includes(node)) return null;
  const pair = cell.pairsOf[a].get(node);
  if (cell.attackers[a].success !== null) return pair && pair.success !== null ? pair.success : 0;
  if (!pair || !pair.determined) return 0;
  const rounds = Math.max(1, cell.attackers[a].by_round.length);
  return pair.round === null ? 1 : Math.max(0.25, 1 - 0.75 * (pair.round - 1) / rounds);
}

// What the two ends of the colour scale mean.
function scaleEnds(cell) {
  const a = currentAttacker();
  const byRound = choice.colour === "chosen" && a >= 0 && cell.attackers[a].success === null;
  return byRound ? ["known at once", "stays hidden"] : ["100 %", "0 %"];
}

function nodeTip(cell, node) {
  const a = cell.attackerOfNode.get(node);
  const attacker = a === undefined ? null : cell.attackers[a];
  const chosen = currentAttacker();
  const lines = [
    attacker ? "as attacker" + (attacker.members.length > 1 ? " (" + attacker.label + ")" : "") + ": reconstructs "
      + percent(attacker.leak) + " of the others" : "not tried as attacker",
    "as victim: " + cell.exposed_to[node] + " of " + cell.attackers.length + " attackers reconstruct it"];
  if (chosen >= 0 && cell.attackers[chosen].pairs_kept && !cell.attackers[chosen].members.includes(node))
    lines.push("by " + cell.attackers[chosen].label + ":", ...pairLines(cell.pairsOf[chosen].get(node)));
  return tip(cell.nodes[node], lines);
}

function networkOption(cell, network, aspect) {
  const colours = palette();
  const count = network.nodes.length;
  const a = currentAttacker();
  const chosen = new Set(a < 0 ? [] : cell.attackers[a].members);
  const size = Math.max(5, Math.min(30, 150 / Math.sqrt(count)));
  const nodes = network.nodes.map((name, i) => {
    const value = nodeValue(cell, i);
    return { name: String(i), x: network.places[i][0] * 1000 * aspect, y: network.places[i][1] * 1000, value,
      symbolSize: chosen.has(i) ? size * 1.4 : size, symbol: chosen.has(i) ? "diamond" : "circle",
      itemStyle: { color: value === null ? colours.none : ramp(value), borderWidth: chosen.has(i) ? 3 : count > LARGE ? 0.3 : 1,
        borderColor: chosen.has(i) ? colours.chosen : colours.line } };
  });
  return {
    tooltip: tooltip((p) => p.dataType === "node" ? nodeTip(cell, p.dataIndex) : null),
    visualMap: { type: "continuous", min: 0, max: 1, calculable: false, orient: "horizontal", left: "center", bottom: 6,
      text: scaleEnds(cell), textStyle: { color: colours.quiet }, inRange: { color: colours.ramp }, seriesIndex: 99,
      itemHeight: 130, itemWidth: 12 },
    series: [{ type: "graph", layout: "none", roam: true, top: "middle", data: nodes,
      links: network.edges.map(([s, t]) => ({ source: s, target: t })),
      label: { show: count <= NAMED, position: "bottom", distance: 3, color: colours.ink, fontSize: count > 30 ? 10 : 12, width: 110, overflow: "truncate",
        textBorderColor: colours.surface, textBorderWidth: 3, formatter: (p) => network.nodes[p.dataIndex] },
      labelLayout: { hideOverlap: count > 30 },
      lineStyle: { color: colours.line, width: count > LARGE ? 0.4 : 1.2, opacity: count > LARGE ? 0.35 : 0.9 },
      emphasis: { focus: count > LARGE ? "none" : "adjacency", label: { show: true, color: colours.ink } } }]
  };
}

function ramp(value) {
  const stops = palette().ramp;
  const place = Math.max(0, Math.min(1, value)) * (stops.length - 1);
  const low = Math.min(Math.floor(place), stops.length - 2);
  const mix = (i) => Math.round(parseInt(stops[low].slice(i, i + 2), 16) * (1 - place + low)
    + parseInt(stops[low + 1].slice(i, i + 2), 16) * (place - low));
  return "rgb(" + mix(1) + "," + mix(3) + "," + mix(5) + ")";
}

function networkFacts(cell, network) {
  const entries = [["Nodes", String(network.nodes.length)], ["Edges", String(network.edges.length)]];
  if (network.diameter !== null) entries.push(["Diameter", number(network.diameter)]);
  if (network.spectral_gap !== null) entries.push(["Spectral gap", number(network.spectral_gap, 3)]);
  if (network.rounds !== null) entries.push(["Rounds heard", number(network.rounds)]);
  const parts = [definitions(entries)];
  const a = currentAttacker();
  if (a < 0) return parts.concat(absent("No attacker was tried on this network."));
  const attacker = cell.attackers[a];
  parts.push(el("h3", { style: "margin-top:1.2rem" }, "Attacker " + attacker.label));
  const own = [["Degree", number(attacker.degree)], ["Determines", percent(attacker.determined) + " of the others"]];
  if (attacker.success !== null) own.push(["Reconstructs", percent(attacker.success) + " of the others"]);
  if (attacker.psnr !== null) own.push(["Mean PSNR", decibel(attacker.psnr)],
    ["Guessing", "zero " + decibel(attacker.zero_psnr) + ", mean " + decibel(attacker.mean_psnr)]);
  parts.push(definitions(own));
  if (attacker.relations.length > 0) {
    const more = attacker.relations_left_out ? [el("li", null, "and " + attacker.relations_left_out + " more")] : [];
    parts.push(el("p", { class: "quiet" }, "Of values that stay hidden it still knows these sums:"),
      el("ul", { class: "quiet" }, ...attacker.relations.map((r) => el("li", null, r)), ...more));
  }
  return parts;
}

function showNetwork() {
  if (!HAS_NETWORK) return hide("network");
  const cell = currentCell();
  if (cell.network === null) return fill("network", absent("The document does not hold the network of this setting."));
  const network = data.networks[cell.network];
  const modes = [["attacker", "as attacker: share of others it reconstructs"],
    ["victim", "as victim: how many could reconstruct it"], ["chosen", "seen from the chosen attacker"]];
  let box = body("network").querySelector(".chart");
  if (!box) {
    box = chartBox("The network, its nodes coloured by exposure");
    fill("network", el("div", { class: "modes" }), el("div", { class: "split" }, el("div", null, box,
      el("p", { class: "quiet note" })), el("div", { class: "side" })));
  }
  body("network").querySelector(".modes").replaceChildren(switcher("Colours", modes, choice.colour, (colour) => choose({ colour })));
  body("network").querySelector(".side").replaceChildren(...networkFacts(cell, network));
  body("network").querySelector(".note").textContent = cell.attackers.length > 1
    ? "Click a node to choose it as the attacker; drag to move, scroll to zoom." : "Drag to move, scroll to zoom.";
  draw("network", box, networkOption(cell, network, Math.max(0.8, Math.min(1.6, box.clientWidth / box.clientHeight))), (p) => {
    if (p.dataType !== "node") return;
    const here = currentCell(), a = here.attackerOfNode.get(p.dataIndex);
    if (a !== undefined) choose({ attacker: here.attackers[a].label });
    else body("network").querySelector(".note").textContent = here.nodes[p.dataIndex] + " was not tried as an attacker in this run.";
  });
}

const HEATS = [["psnr", "PSNR", (p) => p.psnr, decibel], ["success", "share of trials reconstructed", (p) => p.success, percent],
  ["round", "first round", (p) => p.round, (v) => number(v)],
  ["amplification", "noise amplification (log₁₀)", (p) => p.amplification > 0 ? Math.log10(p.amplification) : null, (v) => number(v, 3)],
  ["determined", "exactly determined", (p) => p.determined ? 1 : null, () => "yes"]];

function topBy(count, score) {
  const order = Array.from({ length: count }, (_, i) => i);
  if (count <= HEAT_LIMIT) return order;
  return order.sort((a, b) => score(b) - score(a) || a - b).slice(0, HEAT_LIMIT).sort((a, b) => a - b);
}

function heatOption(cell, rows, columns, heat) {
  const colours = palette();
  const points = [];
  rows.forEach((a, y) => columns.forEach((v, x) => {
    const pair = cell.pairsOf[a].get(v);
    const value = pair ? heat[2](pair) : null;
    if (value !== null && !cell.attackers[a].members.includes(v)) points.push([x, y, value]);
  }));
  const values = points.map((p) => p[2]);
  const low = values.reduce((m, v) => Math.min(m, v), Infinity), high = values.reduce((m, v) => Math.max(m, v), -Infinity);
  const share = heat[0] === "success" || heat[0] === "determined";
  const axis = (names, title, gap) => ({ type: "category", data: names, name: title, nameLocation: "middle", nameGap: gap,
    nameTextStyle: { color: colours.quiet }, axisLabel: { color: colours.quiet, fontSize: 11, width: 82, overflow: "truncate",
      interval: names.length > 45 ? "auto" : 0 }, axisTick: { show: false }, axisLine: { show: false }, splitArea: { show: false } });
  return {
    tooltip: tooltip((p) => tip(cell.attackers[rows[p.value[1]]].label + " → " + cell.nodes[columns[p.value[0]]],
      pairLines(cell.pairsOf[rows[p.value[1]]].get(columns[p.value[0]])))),
    grid: { left: 118, right: 20, top: 12, bottom: 150, show: true, backgroundColor: colours.none, borderWidth: 0 },
    xAxis: Object.assign(axis(columns.map((v) => cell.nodes[v]), "victim", 78), { axisLabel: { color: colours.quiet, fontSize: 11,
      rotate: 55, width: 76, overflow: "truncate", interval: columns.length > 45 ? "auto" : 0 } }),
    yAxis: Object.assign(axis(rows.map((a) => cell.attackers[a].label), "attacker", 96), { inverse: true }),
    visualMap: { min: share ? 0 : low, max: share || low === high ? (share ? 1 : high + 1) : high, orient: "horizontal",
      left: "center", bottom: 4, precision: 1, calculable: !share, itemHeight: 150, itemWidth: 12, textStyle: { color: colours.quiet },
      text: share ? ["100 %", "0 %"] : undefined, inRange: { color: heat[0] === "round" || heat[0] === "amplification"
        ? [...colours.ramp].reverse() : colours.ramp } },
    series: [{ type: "heatmap", progressive: 0, data: points, itemStyle: { borderColor: colours.surface, borderWidth: points.length > 5000 ? 0 : 1 },
      emphasis: { itemStyle: { borderColor: colours.chosen, borderWidth: 2 } } }]
  };
}

function showPairs() {
  if (!HAS_NETWORK) return hide("pairs");
  const cell = currentCell();
  const heats = HEATS.filter((heat) => cell.pairsOf.some((pairs) => [...pairs.values()].some((p) => heat[2](p) !== null)));
  if (heats.length === 0) return fill("pairs", absent(cell.attackers.length === 0
    ? "No attacker was tried in this setting." : "No attacker reconstructs anyone in this setting, or the document lists no pairs."));
  const heat = heats.find((h) => h[0] === choice.heat) || heats[0];
  const kept = cell.attackers.map((_, a) => a).filter((a) => cell.attackers[a].pairs_kept);
  const rows = topBy(kept.length, (i) => cell.attackers[kept[i]].leak || 0).map((i) => kept[i]);
  const columns = topBy(cell.nodes.length, (v) => cell.exposed_to[v]);
  const box = chartBox("Heat map of attackers against victims");
  box.style.height = Math.max(230, Math.min(1100, rows.length * 24 + 170)) + "px";
  const left = rows.length < cell.attackers.length || columns.length < cell.nodes.length
    ? " Shown: " + rows.length + " of " + cell.attackers.length + " attackers, those that reach most, and " + columns.length
      + " of " + cell.nodes.length + " nodes, those most exposed." : "";
  fill("pairs", switcher("Measure", heats.map((h) => [h[0], h[1]]), heat[0], (h) => choose({ heat: h })), box,
    el("p", { class: "quiet" }, "In setting: " + cellLongName(cell) + ". Empty squares: the victim stays hidden from the attacker." + left));
  draw("pairs", box, heatOption(cell, rows, columns, heat));
}

function axisStyle(title, extra) {
  const colours = palette();
  return Object.assign({ name: title, nameLocation: "middle", nameTextStyle: { color: colours.quiet },
    axisLabel: { color: colours.quiet, hideOverlap: true, formatter: (v) => typeof v === "number" ? number(v) : v },
    axisLine: { lineStyle: { color: colours.line } },
    splitLine: { lineStyle: { color: colours.line, opacity: 0.35 } } }, extra);
}

// Lines with a band; series: [{name, points: [[x, mean, low, high, note]], strong}]
function lineOption(xTitle, yTitle, series) {
  const colours = palette();
  const xs = series.flatMap((s) => s.points.map((p) => p[0]));
  const words = xs.some((x) => typeof x !== "number");
  const wide = !words && xs.length > 2 && Math.min(...xs) > 0 && Math.max(...xs) / Math.min(...xs) >= 100;
  // Values of several magnitudes, such as an error beside another that is right, are told apart by their ratio.
  const ys = series.flatMap((s) => s.points.map((p) => p[1])).filter((y) => y !== null);
  const tall = ys.length > 2 && Math.min(...ys) > 0 && Math.max(...ys) / Math.min(...ys) >= 1000;
  const names = words ? [...new Set(xs.map(String))] : undefined;
  const place = (p) => words ? String(p[0]) : p[0];
  const drawn = series.flatMap((s, i) => {
    const colour = colours.series[i % colours.series.length];
    const line = { type: "line", name: s.name, color: colour, symbolSize: s.points.length > 40 ? 3 : 6, showSymbol: s.points.length <= 60,
      lineStyle: { width: s.strong === false ? 1.5 : 2.5 }, z: 3, data: s.points.map((p) => [place(p), p[1], p[4]]) };
    const banded = s.points.filter((p) => p[2] !== null && p[3] !== null && p[3] > p[2] && !(tall && p[2] <= 0));
    if (banded.length < 2) return [line];
    return [line, { type: "custom", name: s.name, color: colour, silent: true, z: 1, tooltip: { show: false }, encode: { x: 0, y: [1, 2] },
      data: banded.map((p) => [place(p), p[2], p[3]]),
      renderItem: (params, api) => params.dataIndex !== 0 ? null : { type: "polygon",
        shape: { points: banded.map((p) => api.coord([place(p), p[2]])).concat([...banded].reverse().map((p) => api.coord([place(p), p[3]]))) },
        style: { fill: colour, opacity: 0.16 } } }];
  });
  return {
    tooltip: tooltip((items) => {
      const lines = items.filter((i) => i.seriesType === "line");
      return lines.length ? tip(xTitle + " " + (words ? lines[0].axisValue : number(lines[0].value[0])),
        lines.map((i) => i.seriesName + ": " + i.value[2])) : null;
    }, { trigger: "axis" }),
    legend: { type: "scroll", top: 6, textStyle: { color: colours.ink }, pageTextStyle: { color: colours.ink }, show: series.length > 1 },
    grid: { left: 64, right: 22, top: series.length > 1 ? 44 : 20, bottom: 52 },
    xAxis: axisStyle(xTitle, { type: words ? "category" : wide ? "log" : "value", data: names, nameGap: 30,
      minInterval: xs.every(Number.isInteger) ? 1 : undefined, min: words || wide ? undefined : "dataMin", max: words ? undefined : "dataMax", splitLine: { show: false } }),
    yAxis: axisStyle(yTitle, { type: tall ? "log" : "value", scale: true, nameGap: 46 }),
    series: drawn
  };
}

function withBand(point) {
  const [x, mean, std, count] = point;
  const spread = std === null ? "" : " ± " + number(std, 2);
  return [x, mean, std === null || mean === null ? null : mean - std, std === null || mean === null ? null : mean + std,
    number(mean) + spread + (count ? " (" + number(count) + " values)" : "")];
}

// What guessing reaches is drawn beside the score it is the baseline of.
const BASELINES = { zero_psnr: ["psnr", "zero guess"], mean_psnr: ["psnr", "mean guess"] };

function scoreOf(y) { return BASELINES[y] ? BASELINES[y][0] : y; }

function seriesName(s) {
  const own = s.name.startsWith(s.y + ", ") ? s.name.slice(s.y.length + 2) : s.name === s.y ? "" : s.name;
  const parts = [own, BASELINES[s.y] ? BASELINES[s.y][1] : ""];
  return parts.filter(Boolean).join(", ") || s.y;
}

// What all names say, as in "mechanism = ", is left out where the rest says enough without it.
function shortNames(series) {
  const key = series[0].name.slice(0, series[0].name.indexOf(" = ") + 3);
  const rest = series.map((s) => s.name.slice(key.length));
  if (key.length < 4 || !series.every((s) => s.name.startsWith(key)) || rest.some((r) => r === "" || r === "true" || r === "false" || !isNaN(r))) return series;
  return series.map((s, i) => ({ ...s, name: rest[i] }));
}

function showCurves() {
  if (data.curves.length === 0) return hide("curves");
  const figures = [], drawings = [];
  for (const curve of data.curves)
    for (const y of [...new Set(curve.series.map((s) => scoreOf(s.y)))]) {
      const series = curve.series.filter((s) => scoreOf(s.y) === y).map((s) => ({ name: seriesName(s), points: s.points.map(withBand) }));
      const box = chartBox(curve.title + ": " + y);
      figures.push(el("figure", null, el("figcaption", null, curve.title), box));
      drawings.push([box, lineOption(curve.x, y, shortNames(series))]);
    }
  fill("curves", el("div", { class: "charts" }, ...figures), el("p", { class: "quiet" }, "Bands: mean ± one standard deviation. Hover for values."));
  drawings.forEach(([box, option], i) => draw("curve " + i, box, option));
}

function showRounds() {
  if (data.cells.length === 0) return hide("rounds");
  const cell = currentCell();
  const known = cell.attackers.filter((a) => a.by_round.length > 0);
  if (known.length === 0) return data.cells.some((c) => c.attackers.some((a) => a.by_round.length > 0))
    ? fill("rounds", absent("This setting has no exposure by round.")) : hide("rounds");
  const longest = known.reduce((m, a) => Math.max(m, a.by_round.length), 0);
  const at = (a, t) => a.by_round[Math.min(t, a.by_round.length - 1)];
  const rounds = Array.from({ length: longest }, (_, t) => t);
  const line = (name, get, low, high) => ({ name, points: rounds.map((t) => [t + 1, get(t), low ? low(t) : null, high ? high(t) : null,
    number(get(t), 3) + (low ? " (" + number(low(t)) + " to " + number(high(t)) + ")" : "")]) });
  const chosen = cell.attackers[currentAttacker()];
  const series = chosen.by_round.length > 0 ? [line(chosen.label, (t) => at(chosen, t))] : [];
  if (known.length > 1) series.push(line("mean of " + known.length + " attackers", (t) => known.reduce((s, a) => s + at(a, t), 0) / known.length,
    (t) => known.reduce((m, a) => Math.min(m, at(a, t)), Infinity), (t) => known.reduce((m, a) => Math.max(m, at(a, t)), 0)));
  const box = chartBox("Nodes reconstructible after each round");
  box.style.height = "21rem";
  fill("rounds", box, el("p", { class: "quiet" }, "Nodes whose values the messages of the first T rounds determine exactly, up to the round "
    + "after which nothing more is learnt." + (known.length > 1 ? " Band: least to most over attackers." : "")));
  draw("rounds", box, lineOption("T", "nodes determined", series));
}

// Truth, reports and estimate of each collection of the first trial on one scale of colours, and what its mechanism exposes.
function showPlaces() {
  if (!data.cells.some((c) => c.places)) return hide("places");
  const places = currentCell().places;
  if (!places || places.collections.length === 0) return fill("places", absent("The document holds no maps of this setting."));
  const { grid, truth, collections } = places;
  const all = (key) => collections.map((c) => c[key]);
  const shares = { show: finePercent, low: 0, high: largest(truth, ...all("reports"), ...all("estimate")) };
  const own = { show: finePercent, low: 0, high: largest(...all("self_report")) };
  const tight = { show: (v) => number(v, 3), ...spread(...all("epsilon")) };
  const maps = [], parts = [];
  for (const c of collections) {
    const row = [
      { title: "Truth", note: "Where people really were.", grid, values: truth, ...shares },
      { title: "Reports", note: reportsNote(grid, c.report_grid), grid: c.report_grid, values: c.reports, ...shares },
      { title: "Estimate", note: "What the collector makes of the reports" + (c.emd === null ? "."
        : "; " + number(c.emd) + " cells from the truth (earth mover's distance)."), grid, values: c.estimate, ...shares },
      { title: "Tight ε of each place, per cell", note: "The least for which the place is hidden among all others.", grid, values: c.epsilon, ...tight },
      { title: "Probability of reporting the place itself", note: "High where somebody is given away most often.", grid, values: c.self_report, ...own }
    ].filter((map) => map.values.length > 0);
    maps.push(...row);
    parts.push(el("h3", { class: "verdict" }, c.name), el("div", { class: "maps" }, ...row.map(mapFigure)));
  }
  fill("places", el("p", { class: "quiet" }, "In setting: " + cellLongName(currentCell()) + ". First trial. Maps of the same kind share one scale of colours."), ...parts);
  drawMaps("places", maps);
}
