// Moves and zooms the drawing, moves it through time, and shows neighbours. Without this file it scrolls,
// every month is a link, and so is everybody drawn.

const LINE = 32;
const BELOW = 48; // from the middle of a mark to the bottom of its cell
const STEP_MS = 700;
const MANY = 300;
const SETTLES_MS = 140;
let view = null; // the part of the drawing that is looked at: x, y, width, height
let playing = 0;

const drawing = () => document.querySelector(".graph");
const reduced = matchMedia("(prefers-reduced-motion: reduce)");

function whole(svg) {
  const [width, height] = [svg.getAttribute("width"), svg.getAttribute("height")].map(Number);
  return { x: 0, y: 0, width, height };
}

function scaleOf(svg, at = view) {
  return Math.min(svg.clientWidth / at.width, svg.clientHeight / at.height) || 1;
}

let drawn = null; // the view the drawing was last drawn for
let waiting = 0;
let settling = 0;
function show(svg) {
  waiting ||= requestAnimationFrame(() => {
    waiting = 0;
    clearTimeout(settling);
    if (!svg.clientWidth) return;
    if (!drawn || labelsOf(svg).length < MANY) settle(svg);
    else {
      move(svg);
      rest(svg);
    }
  });
}

function rest(svg) {
  settling = setTimeout(() => (pointers.size ? rest : settle)(svg), SETTLES_MS);
}

// A large drawing is moved as a whole while it is dragged, and redrawn once the pointer rests.
function move(svg) {
  const [before, now] = [scaleOf(svg, drawn), scaleOf(svg)];
  const edge = (side, size, each, scale) => (svg[side] - each[size] * scale) / 2;
  const [x, y] = [["clientWidth", "width", "x"], ["clientHeight", "height", "y"]].map(([side, size, axis]) =>
    edge(side, size, view, now) + (drawn[axis] - view[axis]) * now - edge(side, size, drawn, before) * (now / before));
  svg.parentElement.style.transform = `translate(${x}px, ${y}px) scale(${now / before})`;
}

function settle(svg) {
  drawn = { ...view };
  svg.parentElement.style.transform = "";
  svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  const unit = Math.max(1, 1 / scaleOf(svg));
  if (svg.dataset.unit === String(unit)) return;
  svg.dataset.unit = unit;
  svg.style.setProperty("--unit", unit);
  thin(svg, unit);
}

// The selected entity, the patches, then all others, best connected first.
const LABELLED = [".node.is-chosen", ".patch-name", ".node:not(.is-chosen)"];
const labelsOf = (svg) => (svg.labels ??= measured(svg, LABELLED.flatMap((each) => [...svg.querySelectorAll(each)])));

function measured(svg, elements) {
  const boxes = () => elements.map((each) => each.querySelector("text").getBBox());
  const whole = boxes();
  svg.classList.add("is-brief");
  const names = boxes();
  svg.classList.remove("is-brief");
  return elements.map((element, index) => {
    const { e, f } = element.transform.baseVal.consolidate().matrix;
    return { element, x: e, y: f, shapes: { "": whole[index], "is-brief": names[index] }, drawn: "" };
  });
}

// Labels are drawn in this order as long as there is room, if need be without the words below the name, which
// would reach into the next row: labels grow as the drawing shrinks.
function thin(svg, unit) {
  const taken = new Map();
  const fits = ({ y, height }) => (y + height) * unit <= BELOW;
  for (const label of labelsOf(svg)) {
    const shapes = Object.keys(label.shapes).filter((shape) => shape || fits(label.shapes[shape]));
    const drawn = shapes.find((shape) => place(taken, label, label.shapes[shape], unit)) ?? "is-crowded";
    if (drawn === label.drawn) continue;
    label.element.classList.remove("is-brief", "is-crowded");
    if ((label.drawn = drawn)) label.element.classList.add(drawn);
  }
}

// Takes the room of a label; false if another one is there.
function place(taken, label, box, unit) {
  const [left, top] = [label.x + box.x * unit, label.y + box.y * unit];
  const [right, bottom] = [left + box.width * unit, top + box.height * unit];
  const meets = (other) => left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  const rows = [];
  for (let row = Math.floor(top / (LINE * unit)); row * LINE * unit < bottom; row++) rows.push(row);
  if (rows.some((row) => taken.get(row)?.some(meets))) return false;
  for (const row of rows) taken.set(row, [...(taken.get(row) ?? []), { left, top, right, bottom }]);
  return true;
}

function zoom(svg, factor, x = svg.clientWidth / 2, y = svg.clientHeight / 2) {
  const full = whole(svg);
  const width = Math.min(full.width * 1.5, Math.max(200, view.width / factor));
  const ratio = width / view.width;
  const at = new DOMPoint(x, y).matrixTransform(new DOMMatrix([scaleOf(svg), 0, 0, scaleOf(svg), 0, 0]).inverse());
  const edge = { x: (svg.clientWidth / scaleOf(svg) - view.width) / 2, y: (svg.clientHeight / scaleOf(svg) - view.height) / 2 };
  const [across, down] = [at.x - edge.x, at.y - edge.y];
  view = { ...view, x: view.x + across * (1 - ratio), y: view.y + down * (1 - ratio), width, height: view.height * ratio };
  show(svg);
}

function pan(svg, x, y) {
  view = { ...view, x: view.x - x / scaleOf(svg), y: view.y - y / scaleOf(svg) };
  show(svg);
}

function light(svg, node) {
  for (const each of svg.querySelectorAll(".is-lit")) each.classList.remove("is-lit");
  svg.classList.toggle("is-isolating", Boolean(node));
  if (!node) return;
  const all = [...svg.querySelectorAll(".node")];
  node.classList.add("is-lit");
  for (const tie of svg.querySelectorAll(".tie")) {
    const ends = tie.dataset.e.split(" ").map((number) => all[number]);
    if (!ends.includes(node)) continue;
    for (const each of [tie, ...ends]) each.classList.add("is-lit");
  }
}

function choose(form, address) {
  form.elements.entity.value = new URLSearchParams(address).get("entity");
  form.elements.name.value = "";
  htmx.trigger(form, "submit");
}

const months = (slider) => slider.dataset.months.trim().split(" ");

function slide(slider) {
  const all = months(slider);
  const [day, last] = [all[slider.value], Number(slider.value) === all.length - 1];
  slider.form.elements.at.value = last ? "" : day;
  slider.setAttribute("aria-valuetext", day);
  slider.closest("figure").querySelector("[data-day]").textContent = day;
  const now = day.replaceAll("-", "");
  const ended = slider.form.elements.ended.checked;
  for (const each of document.querySelectorAll(".graph [data-s]")) {
    each.classList.toggle("is-off", each.dataset.s > now || (!ended && each.dataset.u <= now));
  }
}

function play(slider) {
  clearInterval(playing);
  slider.value = 0;
  slide(slider);
  playing = setInterval(() => {
    slider.value = Number(slider.value) + 1;
    slide(slider);
    if (slider.value !== slider.max) return;
    clearInterval(playing);
    slider.dispatchEvent(new Event("change", { bubbles: true }));
  }, STEP_MS);
}

function start() {
  const svg = drawing();
  if (!svg || svg.matches(".is-live")) return;
  svg.classList.add("is-live");
  const full = whole(svg);
  if (!view || view.of !== `${full.width} ${full.height}`) view = { ...full };
  view.of = `${full.width} ${full.height}`;
  drawn = null;
  show(svg);
  for (const each of document.querySelectorAll("[data-tools], [data-play], [data-points], [data-months]")) {
    each.hidden = each.matches("[data-play]") && reduced.matches;
  }
  const slider = document.querySelector("[data-months]");
  const at = months(slider).findIndex((day) => day >= slider.form.elements.at.value);
  slider.value = slider.form.elements.at.value && at >= 0 ? at : slider.max;
  slider.setAttribute("aria-valuetext", months(slider)[slider.value]);
}

// One pointer drags the drawing, two also zoom it. On a touch screen, one finger that moves up or down scrolls
// the page instead: the browser cancels its pointer, and what it moved so far moves back.
const pointers = new Map();
let [moved, begun] = [0, null];
document.addEventListener("pointerdown", (event) => {
  if (event.button !== 0 || !event.target.closest?.(".graph.is-live")) return;
  if (!pointers.size) [moved, begun] = [0, { ...view }];
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
});
document.addEventListener("pointermove", (event) => {
  const [from, svg] = [pointers.get(event.pointerId), drawing()];
  if (!from || !svg) return;
  const to = { x: event.clientX, y: event.clientY };
  moved += Math.abs(to.x - from.x) + Math.abs(to.y - from.y);
  if (moved < 4) return;
  pointers.set(event.pointerId, to);
  pan(svg, (to.x - from.x) / pointers.size, (to.y - from.y) / pointers.size);
  const other = [...pointers.values()].find((each) => each !== to);
  if (!other) return;
  const apart = (each) => Math.hypot(each.x - other.x, each.y - other.y) || 1;
  const box = svg.closest(".drawing-scroll").getBoundingClientRect();
  zoom(svg, apart(to) / apart(from), (to.x + other.x) / 2 - box.left, (to.y + other.y) / 2 - box.top);
});
document.addEventListener("pointerup", (event) => {
  pointers.delete(event.pointerId);
  setTimeout(() => { if (!pointers.size) moved = 0; }); // after the click
});
document.addEventListener("pointercancel", (event) => {
  if (!pointers.delete(event.pointerId) || !drawing()) return;
  view = { ...begun };
  show(drawing());
});
addEventListener("resize", () => { if (view && drawing()) show(drawing()); });
document.addEventListener("dragstart", (event) => { if (event.target.closest?.(".graph")) event.preventDefault(); });
document.addEventListener("wheel", (event) => {
  const svg = event.target.closest?.(".graph.is-live");
  if (!svg || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  const box = svg.closest(".drawing-scroll").getBoundingClientRect();
  zoom(svg, event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX - box.left, event.clientY - box.top);
}, { passive: false });

document.addEventListener("click", (event) => {
  const node = event.target.closest?.(".graph .node, .ego a, .told a");
  const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (node && moved >= 4) event.preventDefault();
  else if (node && plain) {
    event.preventDefault();
    choose(node.closest("form"), new URL(node.href?.baseVal ?? node.href, location).search);
  }
  const button = event.target.closest?.("button");
  if (button?.matches("[data-zoom]")) zoom(drawing(), Number(button.dataset.zoom));
  else if (button?.matches("[data-fit]")) { view = { ...view, ...whole(drawing()) }; show(drawing()); }
  else if (button?.matches("[data-play]")) play(document.querySelector("[data-months]"));
});

document.addEventListener("keydown", (event) => {
  const svg = event.target.matches?.(".drawing-scroll") && drawing();
  const to = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
  if (!svg || event.ctrlKey || event.metaKey || event.altKey) return;
  if (to) pan(svg, ...to);
  else if ("+-".includes(event.key)) zoom(svg, event.key === "+" ? 1.25 : 0.8);
  else return;
  event.preventDefault();
});

const over = (event) => pointers.size || light(drawing(), event.target.closest?.(".graph .node"));
for (const name of ["pointerover", "focusin"]) document.addEventListener(name, (event) => { if (event.target.closest?.(".graph")) over(event); });
document.addEventListener("pointerout", (event) => {
  if (event.target.closest?.(".graph") && !event.relatedTarget?.closest?.(".node")) light(drawing(), null);
});
document.addEventListener("focusout", (event) => { if (event.target.closest?.(".graph")) light(drawing(), null); });
document.addEventListener("input", (event) => { if (event.target.matches?.("[data-months]")) slide(event.target); });
document.addEventListener("htmx:afterSettle", start);
start();
