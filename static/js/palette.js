// The palette: ⌘K or Ctrl-K opens it, and typing asks the server where one can go. A combobox
// with a list of options; without this file the same is a page.

const dialog = document.getElementById("palette");
const input = document.getElementById("palette-input");
const list = document.getElementById("palette-options");
const count = document.getElementById("palette-count");
const PAUSE_MS = 120;
let asked = null;
let timer = 0;

const options = () => [...list.querySelectorAll("[role=option]")];
const chosen = () => list.querySelector("[aria-selected=true]");

function choose(option) {
  chosen()?.setAttribute("aria-selected", "false");
  if (!option) return input.removeAttribute("aria-activedescendant");
  option.setAttribute("aria-selected", "true");
  option.scrollIntoView({ block: "nearest" });
  return input.setAttribute("aria-activedescendant", option.id);
}

function step(by) {
  const all = options();
  if (!all.length) return;
  const here = all.indexOf(chosen());
  choose(all[(here + by + all.length) % all.length]);
}

function show(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const told = template.content.querySelector("[data-count]");
  told?.remove();
  list.replaceChildren(template.content);
  input.setAttribute("aria-expanded", String(options().length > 0));
  count.textContent = told?.textContent ?? "";
  choose(options()[0]);
}

async function ask() {
  asked?.abort();
  asked = new AbortController();
  const address = `${dialog.dataset.url}?${new URLSearchParams({ q: input.value })}`;
  try {
    const answer = await fetch(address, { headers: { "HX-Request": "true" }, signal: asked.signal });
    if (answer.ok) show(await answer.text());
  } catch (error) {
    if (error.name !== "AbortError") show("");
  }
}

function open() {
  if (dialog.open) return;
  document.querySelector("#nav:popover-open")?.hidePopover();
  input.value = "";
  dialog.showModal();
  input.focus();
  ask();
}

function onKey(event) {
  const keys = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Enter: () => chosen()?.click(),
  };
  if (event.isComposing || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

if (dialog) {
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE_MS);
  });
  input.addEventListener("keydown", onKey);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
    if (event.altKey || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else open();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-palette]") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    open();
  });
  const apple = /Mac|iPhone|iPad/.test(navigator.platform);
  for (const hint of document.querySelectorAll("[data-modifier]")) {
    if (apple) hint.textContent = "⌘ K";
    hint.hidden = false;
  }
}
