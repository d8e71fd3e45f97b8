// Puts the page together and redraws what a choice, a resize, a colour scheme or a printer changes.

const SECTIONS = {
  cell: [showChoices, showGlance, showStatement, showPlaces, showTables, showNetwork, showGallery, showPairs, showRounds, showAttackers],
  attacker: [showChoices, showNetwork, showGallery, showRounds, showAttackers],
  colour: [showNetwork],
  heat: [showPairs]
};

function redraw(change) {
  const shows = new Set(Object.keys(change).flatMap((key) => SECTIONS[key]));
  for (const show of shows) show();
}

function redrawCharts() { [showPlaces, showNetwork, showPairs, showRounds, showCurves].forEach((show) => show()); }

watchers.push(redraw);
// With few attackers on many nodes, what one of them sees says more than which nodes attack.
if (data.cells.length > 0 && 2 * currentCell().attackers.length < currentCell().nodes.length) choice.colour = "chosen";
showHeader();
redraw({ cell: choice.cell });
showCurves();
showPublished();
showReproduce();

keepDrawn(redrawCharts);
