// Heat maps of places on a plain drawn map. Row 0 is the northernmost and column 0 the easternmost, so columns are drawn
// from the right. A map is {title, note, grid, values, show}: a value for each cell, null where there is none, and how it is
// written; with the same `low` and `high` maps can be compared by colour.

const MAP_MARGIN = { left: 66, right: 14, top: 12, bottom: 86 };

function largest(...lists) { return lists.flat().reduce((most, v) => typeof v === "number" ? Math.max(most, v) : most, 0); }

// From the least to the most of all values; from 0 where they hardly differ, so that rounding makes no pattern.
function spread(...lists) {
  const high = largest(...lists);
  const low = lists.flat().reduce((least, v) => typeof v === "number" ? Math.min(least, v) : least, high);
  return { low: high - low < 0.01 * high ? 0 : low, high };
}

function degrees(low, high, cells, index) { return (low + (high - low) * (index + 0.5) / cells).toFixed(3); }

// Degrees of longitude shrink towards the poles; heights and widths of the box are shown as they are on the ground.
function groundAspect(grid) {
  const { south, west, north, east } = grid.box;
  return (north - south) / ((east - west) * Math.cos((north + south) / 2 * Math.PI / 180));
}

function mapFigure(map) {
  map.box = chartBox(map.title);
  return el("figure", null, el("figcaption", null, map.title), map.box, el("p", { class: "quiet" }, map.note));
}

function mapOption(map) {
  const colours = palette(), grid = map.grid;
  const points = map.values.map((v, i) => [grid.columns - 1 - i % grid.columns, Math.floor(i / grid.columns), v])
    .filter((point) => typeof point[2] === "number");
  const { low, high } = map.high === undefined ? spread(map.values) : map;
  const axis = (names) => ({ type: "category", data: names, axisLabel: { color: colours.quiet, fontSize: 11, hideOverlap: true },
    axisTick: { show: false }, axisLine: { lineStyle: { color: colours.line } } });
  return {
    grid: Object.assign({ show: true, backgroundColor: colours.none, borderColor: colours.line }, MAP_MARGIN),
    tooltip: tooltip((p) => tip(map.show(p.value[2]), ["row " + p.value[1] + ", column " + (grid.columns - 1 - p.value[0]),
      "around " + degrees(grid.box.north, grid.box.south, grid.rows, p.value[1]) + "°, "
        + degrees(grid.box.west, grid.box.east, grid.columns, p.value[0]) + "°"])),
    xAxis: axis(Array.from({ length: grid.columns }, (_, i) => degrees(grid.box.west, grid.box.east, grid.columns, i))),
    yAxis: Object.assign(axis(Array.from({ length: grid.rows }, (_, i) => degrees(grid.box.north, grid.box.south, grid.rows, i))),
      { inverse: true }),
    visualMap: { min: low, max: Math.max(high, low + 1e-12), calculable: true, orient: "horizontal", left: "center", bottom: 4, itemHeight: 130, itemWidth: 12,
      textStyle: { color: colours.quiet }, formatter: map.show, inRange: { color: colours.map } },
    series: [{ type: "heatmap", progressive: 0, data: points, emphasis: { itemStyle: { borderColor: colours.chosen, borderWidth: 2 } } }]
  };
}

// Draws figures that are on the page, each as high as its width and the ground ask for.
function drawMaps(key, maps) {
  maps.forEach((map, i) => {
    const inner = map.box.clientWidth - MAP_MARGIN.left - MAP_MARGIN.right;
    map.box.style.height = Math.max(180, Math.min(760, inner * groundAspect(map.grid) + MAP_MARGIN.top + MAP_MARGIN.bottom)) + "px";
    draw(key + " " + i, map.box, mapOption(map));
  });
}

function reportsNote(grid, reports) {
  return "Share of all reports by the cell reported"
    + (reports.rows > grid.rows ? "; the map is wider than the places, because noise may fall beyond." : ".");
}
