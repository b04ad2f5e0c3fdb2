// Swiping in the review, for touch: towards the end of the line is yes, towards its beginning is
// no. Each does what its button does, and undo is in the message that follows. Keys are in keys.js.

const FAR = 96;
const FLAT = 0.6;
let from = null;

const rtl = (element) => getComputedStyle(element).direction === "rtl";
const distance = (event) => (event.clientX - from.x) * (from.mirrored ? -1 : 1);

function begin(event) {
  const item = event.target.closest("[data-review-item]");
  if (!item || event.pointerType === "mouse" || event.target.closest("button, a, input, summary")) return;
  from = { item, x: event.clientX, y: event.clientY, id: event.pointerId, mirrored: rtl(item) };
}

function meanwhile(event) {
  if (!from || event.pointerId !== from.id) return;
  const far = distance(event);
  if (Math.abs(event.clientY - from.y) > Math.max(24, Math.abs(far) * FLAT)) return end();
  from.item.dataset.swipe = Math.abs(far) < FAR ? "" : far > 0 ? "yes" : "no";
  return undefined;
}

function finish(event) {
  if (!from || event.pointerId !== from.id) return;
  const { item } = from;
  const verdict = item.dataset.swipe;
  end();
  if (verdict) item.querySelector(verdict === "yes" ? '[data-key="a"]' : '[data-key="r"]')?.click();
}

function end() {
  if (from) delete from.item.dataset.swipe;
  from = null;
}

const list = document.querySelector("[data-review]");
if (list) {
  list.addEventListener("pointerdown", begin);
  list.addEventListener("pointermove", meanwhile);
  list.addEventListener("pointerup", finish);
  list.addEventListener("pointercancel", end);
}

// A decided item disappears with the focus, so the next one that stays gets it, or one before.
document.addEventListener("htmx:beforeSwap", (event) => {
  const item = event.detail.target?.closest?.("[data-review-item]");
  if (!item) return;
  const items = [...document.querySelectorAll("[data-review-item]")];
  const here = items.indexOf(item);
  const near = [...items.slice(here + 1), ...items.slice(0, here).reverse()];
  setTimeout(() => near.find((each) => each.isConnected)?.focus(), 60);
});

for (const help of document.querySelectorAll("[data-review-keys]")) help.hidden = false;
