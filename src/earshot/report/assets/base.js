"use strict";
// What every page needs: its data, numbers as text, elements and tables. Everything from the document enters as text,
// never as markup.

const data = JSON.parse(document.getElementById("data").textContent);

function number(value, digits) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value;
  if (value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-4)) return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(digits || 4)));
}

function decibel(value) { return value === null || value === undefined ? "–" : value.toFixed(1) + " dB"; }

function percent(share) {
  if (share === null || share === undefined) return "–";
  const rounded = Math.round(share * 100);
  if (share > 0 && rounded === 0) return "<1 %";
  if (share < 1 && rounded === 100) return ">99 %";
  return rounded + " %";
}

// Shares of a map: most are small.
function finePercent(share) { return share === 0 ? "0 %" : (100 * share).toFixed(share < 0.001 ? 3 : 2) + " %"; }

function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function body(section) { return document.querySelector("#" + section + " .body"); }

function fill(section, ...children) { body(section).replaceChildren(...children.filter(Boolean)); }

function absent(sentence) { return el("p", { class: "absent" }, sentence); }

function hide(section) { document.getElementById(section).hidden = true; }

// columns: [{title, number, cell: row => text or element}]
function table(columns, rows, onChoose, isChosen) {
  const head = el("tr", null, ...columns.map((c) => el("th", { scope: "col", class: c.number ? "number" : "" }, c.title)));
  const lines = rows.map((row, i) => {
    const line = el("tr", null, ...columns.map((c, k) =>
      el(k === 0 ? "th" : "td", k === 0 ? { scope: "row" } : { class: c.number ? "number" : "" }, c.cell(row))));
    if (onChoose) {
      line.setAttribute("data-choose", "");
      line.setAttribute("tabindex", "0");
      line.addEventListener("click", () => onChoose(row, i));
      line.addEventListener("keydown", (event) => { if (event.key === "Enter") onChoose(row, i); });
    }
    if (isChosen && isChosen(row, i)) line.className = "chosen";
    return line;
  });
  return el("div", { class: "scroll" }, el("table", null, el("thead", null, head), el("tbody", null, ...lines)));
}

function switcher(label, options, chosen, onChoose) {
  return el("div", { class: "switch", role: "group", "aria-label": label }, ...options.map(([value, text]) => {
    const button = el("button", { type: "button", "aria-pressed": String(value === chosen) }, text);
    button.addEventListener("click", () => onChoose(value));
    return button;
  }));
}

function selector(label, options, chosen, onChoose) {
  const select = el("select", { "aria-label": label }, ...options.map(([value, text]) => {
    const option = el("option", { value: String(value) }, text);
    option.selected = value === chosen;
    return option;
  }));
  select.addEventListener("change", () => onChoose(options[select.selectedIndex][0]));
  return el("label", { class: "choice" }, el("span", null, label), select);
}

function definitions(entries) {
  return el("dl", null, ...entries.flatMap(([term, value]) => [el("dt", null, term), el("dd", null, value)]));
}

// heading: an element or null; guarantee: what is promised in a few words, for statements that promise anything.
function statementBox(heading, s, guarantee) {
  const stated = (text) => text || el("span", { class: "absent" }, "not stated");
  const assumptions = s.assumptions.length ? el("ul", null, ...s.assumptions.map((a) => el("li", null, a))) : "none stated";
  return el("div", { class: s.private ? "box" : "box none" }, heading,
    el("p", { class: "guarantee" }, s.private ? guarantee : "No privacy"),
    definitions([["Definition", stated(s.definition)], ["Protects", stated(s.unit)], ["Adjacency", stated(s.adjacency)],
      ["Against", stated(s.adversary)], ["Assuming", assumptions]]));
}
