// Single keys. Which there are is read from the sheet, which the server makes from one table; what
// an act does is told here. Nothing happens while somebody types, and all of it can be switched off.

const sheet = document.getElementById("keys-sheet");
const rows = [...(sheet?.querySelectorAll("[data-strokes]") ?? [])];
const ITEMS = "[data-item], [data-review-item], .hit, .tree-item, .chat-link, main .list > li";
const TYPED_INTO = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable]";
const WITHIN_MS = 1500;
let begun = "";
let begunAt = 0;

const seen = (element) => element.checkVisibility() && !element.closest("[inert]");
const items = () => [...document.querySelectorAll(ITEMS)].filter(seen);
const current = () => document.activeElement.closest(ITEMS);

function move(step) {
  const all = items();
  if (!all.length) return;
  const here = all.indexOf(current());
  const next = here < 0 ? (step > 0 ? 0 : all.length - 1) : here + step;
  const item = all[Math.min(all.length - 1, Math.max(0, next))];
  if (!item.matches("a, button, [tabindex]")) item.tabIndex = -1;
  item.focus();
  item.scrollIntoView({ block: "nearest" });
}

// The button or link for this key: that of the item in focus, or else the only one on the page. With an
// item in focus, those of other items do not count.
function press(stroke) {
  const wanted = `[data-key="${CSS.escape(stroke)}"]`;
  const item = current();
  const here = item?.querySelector(wanted);
  const fits = (each) => seen(each) && !(item && each.closest(ITEMS));
  const all = [...document.querySelectorAll(`main ${wanted}`)].filter(fits);
  const target = here ?? (all.length === 1 ? all[0] : null);
  target?.click();
}

function search() {
  const box = document.querySelector("main [data-search], [data-search]");
  box?.focus();
  box?.select();
}

const ACTS = {
  next: () => move(1),
  previous: () => move(-1),
  press: (row) => press(row.dataset.strokes),
  search,
  sheet: () => sheet.showModal(),
  undo: () => [...document.querySelectorAll("#toasts [data-undo]")].at(-1)?.click(),
  go: (row) => location.assign(row.dataset.url),
};

function typing(element) {
  return element.isContentEditable || element.matches(TYPED_INTO);
}

// "g" waits a moment for the key after it.
function row(key) {
  const strokes = begun && Date.now() - begunAt < WITHIN_MS ? `${begun} ${key}` : key;
  begun = "";
  const found = rows.find((each) => each.dataset.strokes === strokes)
    ?? rows.find((each) => each.dataset.strokes === key);
  if (!found && rows.some((each) => each.dataset.strokes.startsWith(`${key} `))) {
    begun = key;
    begunAt = Date.now();
  }
  return found;
}

document.addEventListener("keydown", (event) => {
  const modified = event.ctrlKey || event.metaKey || event.altKey;
  const off = document.documentElement.dataset.keys === "off";
  if (off || modified || event.isComposing || event.defaultPrevented) return;
  if (event.key === "Shift" || typing(event.target) || document.querySelector("dialog[open]")) return;
  const found = row(event.key);
  if (!found) return;
  event.preventDefault();
  ACTS[found.dataset.act]?.(found);
});
