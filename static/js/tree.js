// Opens and closes the branches of the tree, and handles its keys: arrows, Home, End, letters. Without this
// file it is nested lists of links, so roles are set here and not on the server.

const TYPING_MS = 600;
let typed = "";
let typedAt = 0;

const items = (tree) => [...tree.querySelectorAll("[role=treeitem]")].filter((item) => !item.closest("ul[hidden]"));
const toggleOf = (item) => item.parentElement.querySelector(":scope > .tree-toggle");
const boxOf = (item) => item.parentElement.querySelector(":scope > .choose");
const branchOf = (item) => item.closest("li").querySelector(":scope > ul");
const isOpen = (item) => item.getAttribute("aria-expanded") === "true";

function levelOf(item, tree) {
  let level = 0;
  for (let list = item.closest("ul"); list; list = list.parentElement.closest("ul")) {
    level += 1;
    if (list === tree) break;
  }
  return level;
}

function adorn(item, tree) {
  item.setAttribute("role", "treeitem");
  item.setAttribute("aria-level", levelOf(item, tree));
  if (!item.hasAttribute("tabindex")) item.tabIndex = -1;
  tellChosen(item);
  const toggle = toggleOf(item);
  if (!toggle) return;
  toggle.hidden = false;
  toggle.tabIndex = -1;
  toggle.setAttribute("aria-hidden", "true");
  item.setAttribute("aria-expanded", toggle.getAttribute("aria-expanded"));
  item.setAttribute("aria-owns", toggle.getAttribute("aria-controls"));
}

// A tree may hold nothing but its items, so the row itself says whether its box is ticked.
function tellChosen(item) {
  const box = boxOf(item);
  if (!box) return;
  box.tabIndex = -1;
  box.setAttribute("aria-hidden", "true");
  item.setAttribute("aria-checked", box.checked);
}

function turn(toggle) {
  const isOpening = toggle.getAttribute("aria-expanded") !== "true";
  toggle.setAttribute("aria-expanded", isOpening);
  toggle.parentElement.querySelector("[role=treeitem]").setAttribute("aria-expanded", isOpening);
  document.getElementById(toggle.getAttribute("aria-controls")).hidden = !isOpening;
}

function press(item) {
  const box = boxOf(item);
  (box ?? item).click();
}

function plant(tree) {
  tree.setAttribute("role", "tree");
  if (!tree.hasAttribute("aria-label")) {
    tree.setAttribute("aria-label", tree.closest("nav")?.getAttribute("aria-label") ?? "");
  }
  for (const row of tree.querySelectorAll("li, .tree-row")) row.setAttribute("role", "none");
  for (const list of tree.querySelectorAll("ul")) list.setAttribute("role", "group");
  for (const item of tree.querySelectorAll(".tree-item, .tree-more > a")) adorn(item, tree);
  if (!tree.querySelector("[role=treeitem][tabindex='0']")) {
    const first = tree.querySelector("[role=treeitem][aria-current]") ?? tree.querySelector("[role=treeitem]");
    if (first) first.tabIndex = 0;
  }
}

function go(tree, item) {
  if (!item) return;
  for (const each of tree.querySelectorAll("[role=treeitem][tabindex='0']")) each.tabIndex = -1;
  item.tabIndex = 0;
  item.focus();
}

function open(tree, item) {
  if (!item.hasAttribute("aria-expanded")) return;
  if (!isOpen(item)) toggleOf(item).click();
  else go(tree, branchOf(item)?.querySelector("[role=treeitem]"));
}

function close(tree, item) {
  if (isOpen(item)) toggleOf(item).click();
  else go(tree, item.closest("ul").closest("li")?.querySelector("[role=treeitem]"));
}

function typeAhead(tree, item, key, now) {
  typed = now - typedAt < TYPING_MS ? typed + key : key;
  typedAt = now;
  const all = items(tree);
  const start = all.indexOf(item) + (typed.length === 1 ? 1 : 0);
  const wanted = typed.toLocaleLowerCase();
  const following = [...all.slice(start), ...all.slice(0, start)];
  const found = following.find((each) => {
    const name = each.querySelector(".tree-name") ?? each;
    return name.textContent.trim().toLocaleLowerCase().startsWith(wanted);
  });
  go(tree, found);
}

function act(tree, item, event) {
  const all = items(tree);
  const at = all.indexOf(item);
  const backwards = getComputedStyle(tree).direction === "rtl";
  const [inwards, outwards] = backwards ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
  const steps = {
    ArrowDown: () => go(tree, all[at + 1]),
    ArrowUp: () => go(tree, all[at - 1]),
    Home: () => go(tree, all[0]),
    End: () => go(tree, all.at(-1)),
    [inwards]: () => open(tree, item),
    [outwards]: () => close(tree, item),
    " ": () => press(item),
  };
  if (steps[event.key]) steps[event.key]();
  else if (event.key.length === 1) typeAhead(tree, item, event.key, event.timeStamp);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

document.addEventListener("keydown", (event) => {
  const item = event.target.closest("[role=treeitem]");
  if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
  act(item.closest("[data-tree]"), item, event);
}, true);

document.addEventListener("focusin", (event) => {
  const item = event.target.closest("[role=treeitem]");
  if (item) go(item.closest("[data-tree]"), item);
});

document.addEventListener("click", (event) => {
  const toggle = event.target.closest(".tree-toggle");
  if (toggle) turn(toggle);
});

document.addEventListener("change", (event) => {
  const item = event.target.matches(".choose") && event.target.parentElement.querySelector("[role=treeitem]");
  if (item) tellChosen(item);
});

// Beside the tree, the first click on a room shows its beginning; where there is no room for that, and
// the second time, it opens.
document.addEventListener("click", (event) => {
  const item = event.target.closest("a[data-preview]");
  const preview = document.getElementById("preview");
  const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!item || !plain || !preview?.offsetParent || item.matches(".is-shown")) return;
  event.preventDefault();
  document.querySelector(".is-shown")?.classList.remove("is-shown");
  item.classList.add("is-shown");
  htmx.ajax("GET", item.dataset.preview, "#preview");
});

const plantAll = () => document.querySelectorAll("[data-tree]").forEach(plant);
document.addEventListener("htmx:afterSettle", plantAll);
plantAll();

// Columns: up and down within one, right into what is open, left back out.
document.addEventListener("keydown", (event) => {
  const item = event.target.closest(".column-item");
  const column = item?.closest(".column");
  if (!column || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = [...column.querySelectorAll(".column-item")];
  const at = all.indexOf(item);
  const beside = (other) => other?.querySelector("[aria-current]") ?? other?.querySelector(".column-item");
  const to = {
    ArrowDown: () => all[at + 1],
    ArrowUp: () => all[at - 1],
    Home: () => all[0],
    End: () => all.at(-1),
    ArrowRight: () => (item.hasAttribute("aria-current") ? beside(column.nextElementSibling) : (item.click(), null)),
    ArrowLeft: () => beside(column.previousElementSibling),
  }[event.key];
  if (!to) return;
  event.preventDefault();
  to()?.focus();
});
