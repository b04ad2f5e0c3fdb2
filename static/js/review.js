// Keys for the review: j and k move, a approves, r rejects, e edits, x ticks. All of it is also
// a button or a link.

const items = () => [...document.querySelectorAll("[data-review-item]")];

function typing(element) {
  return element.isContentEditable || /^(TEXTAREA|SELECT)$/.test(element.tagName)
    || (element.tagName === "INPUT" && element.type !== "checkbox");
}

function move(step) {
  const all = items();
  if (!all.length) return;
  const here = all.indexOf(document.activeElement.closest("[data-review-item]"));
  const next = here < 0 ? (step > 0 ? 0 : all.length - 1) : here + step;
  all[Math.min(all.length - 1, Math.max(0, next))].focus();
}

function press(selector) {
  const item = document.activeElement.closest("[data-review-item]");
  item?.querySelector(selector)?.click();
}

const ACTIONS = {
  j: () => move(1),
  k: () => move(-1),
  a: () => press('[data-key="a"]'),
  r: () => press('[data-key="r"]'),
  e: () => press('[data-key="e"]'),
  x: () => press("[data-review-tick]"),
};

document.addEventListener("keydown", (event) => {
  const modified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
  const act = ACTIONS[event.key];
  if (!act || modified || event.isComposing || typing(event.target)) return;
  event.preventDefault();
  act();
});

for (const help of document.querySelectorAll("[data-review-keys]")) help.hidden = false;
