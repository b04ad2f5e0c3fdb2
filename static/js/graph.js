// The drawing of relations: what is pointed at stands out, the words behind a line are told below,
// and the slider moves the day. Without this file lines have a title and the day is a field.

const DAY = 86_400_000;

function near(svg, node) {
  const key = node.dataset.entity;
  const links = [...svg.querySelectorAll(".graph-link")].filter(
    (link) => link.dataset.start === key || link.dataset.end === key,
  );
  const ends = new Set(links.flatMap((link) => [link.dataset.start, link.dataset.end]));
  const nodes = [...svg.querySelectorAll(".graph-node")].filter((each) => ends.has(each.dataset.entity));
  return [node, ...links, ...nodes];
}

function isolate(svg, parts) {
  for (const each of svg.querySelectorAll(".is-near")) each.classList.remove("is-near");
  for (const each of parts) each.classList.add("is-near");
  svg.classList.toggle("is-isolating", parts.length > 0);
}

function tell(figure, link) {
  const words = figure.querySelector("[data-drawing-words]");
  words.hidden = false;
  words.textContent = link.querySelector("title").textContent.trim();
}

function point(event) {
  const svg = event.target.closest?.(".graph");
  if (!svg) return;
  const node = event.target.closest(".graph-node");
  const link = event.target.closest(".graph-link");
  isolate(svg, node ? near(svg, node) : []);
  if (link) tell(svg.closest("[data-drawing]"), link);
}

function leave(event) {
  const svg = event.target.closest?.(".graph");
  if (svg && !svg.contains(event.relatedTarget)) isolate(svg, []);
}

function dayOf(slider) {
  return new Date(Date.parse(slider.dataset.first) + Number(slider.value) * DAY);
}

function name(slider) {
  slider.setAttribute("aria-valuetext", dayOf(slider).toLocaleDateString(document.documentElement.lang, {
    dateStyle: "long", timeZone: "UTC",
  }));
}

function slide(event) {
  const slider = event.target;
  if (!slider.matches?.("[data-as-of]")) return;
  const field = slider.form.elements.at;
  field.value = Number(slider.value) === Number(slider.max) ? "" : dayOf(slider).toISOString().slice(0, 10);
  name(slider);
}

function reveal() {
  for (const box of document.querySelectorAll(".drawing-scroll")) {
    const middle = (box.scrollWidth - box.clientWidth) / 2;
    box.scrollLeft = getComputedStyle(box).direction === "rtl" ? -middle : middle;
  }
  for (const box of document.querySelectorAll(".as-of[hidden]")) {
    box.hidden = false;
    name(box.querySelector("[data-as-of]"));
  }
}

document.addEventListener("pointerover", point);
document.addEventListener("focusin", point);
document.addEventListener("pointerout", leave);
document.addEventListener("focusout", leave);
document.addEventListener("input", slide);
document.addEventListener("htmx:afterSettle", reveal);
reveal();
