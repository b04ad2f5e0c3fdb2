// What links and forms cannot do alone. Every page works without this file.

const scrolled = (list) => list.scrollHeight - list.scrollTop - list.clientHeight < 80;

// What is still on show is not told twice, as by a page that asks again every few seconds.
function show(templateId) {
  const toasts = document.getElementById("toasts");
  const told = document.getElementById(templateId).content.cloneNode(true).firstElementChild;
  if ([...toasts.children].some((each) => each.textContent === told.textContent)) return;
  toasts.append(told);
  reveal(document);
}

// Buttons that need a script stay hidden until there is one that can serve them.
function reveal(root) {
  const usable = navigator.clipboard ? "[data-dismiss], [data-copy]" : "[data-dismiss]";
  for (const button of root.querySelectorAll(usable)) button.hidden = false;
}

async function copy(button) {
  const source = document.querySelector(button.dataset.copy);
  await navigator.clipboard.writeText(source.value ?? source.textContent);
  if (button.textContent === button.dataset.copied) return;
  const before = [...button.childNodes];
  button.replaceChildren(button.dataset.copied);
  setTimeout(() => button.replaceChildren(...before), 2000);
}

document.addEventListener("click", (event) => {
  const copier = event.target.closest("[data-copy]");
  const dismisser = event.target.closest("[data-dismiss]");
  if (copier) copy(copier);
  dismisser?.closest(dismisser.dataset.dismiss).remove();
});

// Enter sends, Shift+Enter breaks the line; never while an input method is composing.
function sendOnEnter(event) {
  const box = event.target.closest("textarea[data-enter-sends]");
  if (!box || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (box.value.trim()) box.form.requestSubmit();
}

document.addEventListener("keydown", sendOnEnter);

// A swap that removed the focused element puts the focus on what came in its place, and where nothing
// came, on what stood beside it.
let held = false;
let place = {};

function takeFocus(element) {
  if (!element.matches("a, button, input, select, textarea, summary, [tabindex]")) element.tabIndex = -1;
  element.focus();
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const target = event.detail.target;
  held = target.contains(document.activeElement);
  place = { target, before: target.previousElementSibling, after: target.nextElementSibling, within: target.parentElement };
});
document.addEventListener("htmx:afterRequest", () => {
  const { target, before, after, within } = place;
  if (!held || !target || target.isConnected || !within?.isConnected) return;
  const next = before ? before.nextElementSibling : within.firstElementChild;
  if (next === after) takeFocus(after ?? before ?? within.closest("main"));
});
document.addEventListener("htmx:afterSettle", (event) => {
  reveal(document);
  const wanted = event.target.querySelector("[data-focus]");
  const lost = document.activeElement === document.body;
  if (wanted) wanted.focus();
  else if (lost && (held || event.target.matches("[tabindex]"))) takeFocus(event.target);
});

// The address somebody is at already is not put into the history twice, or Back would seem to do nothing.
document.addEventListener("htmx:beforeHistoryUpdate", (event) => {
  const update = event.detail.history;
  const there = new URL(update.path, location.href);
  if (update.type === "push" && there.href === location.href) update.type = "replace";
});

document.addEventListener("htmx:responseError", (event) => {
  show(event.detail.xhr.status === 404 ? "request-gone" : "request-refused");
});
document.addEventListener("htmx:sendError", () => show("request-lost"));

// Where a list would stand with its newest question at its upper edge, so that a long reply is read
// from its beginning.
function newestIn(list) {
  const question = [...list.querySelectorAll(".message-user")].at(-1);
  if (!question) return [null, list.scrollHeight];
  const above = question.getBoundingClientRect().top - list.getBoundingClientRect().top;
  return [question, list.scrollTop + above - parseFloat(getComputedStyle(list).paddingTop)];
}

// A list that was read to its end stays there while words are added, until they fill it; it goes to
// whatever is asked anew.
function followLists() {
  for (const list of document.querySelectorAll("[data-follow]:not([data-followed])")) {
    let atEnd = true;
    let asked = null;
    list.dataset.followed = "";
    list.addEventListener("scroll", () => { atEnd = scrolled(list); });
    const follow = () => {
      const [question, top] = newestIn(list);
      if (atEnd || question !== asked) list.scrollTop = Math.min(list.scrollHeight, top);
      asked = question;
    };
    new MutationObserver(follow).observe(list, { childList: true, subtree: true, characterData: true });
    follow();
  }
}

followLists();
document.addEventListener("htmx:afterSettle", followLists);

// What was on the page when it came is not read out by itself; put in a moment later, it is.
function announceToasts() {
  const told = [...document.querySelectorAll("#toasts .toast > span")].map((each) => each.textContent);
  if (told.length) setTimeout(() => { document.getElementById("announcer").textContent = told.join(" "); }, 400);
}

// A page that the browser had put aside whole is loaded anew when somebody comes back to it, because
// it may be true no longer; not while it holds words that were typed and not sent.
const typed = (field) => !field.closest("dialog") && field.value !== field.defaultValue;

window.addEventListener("pageshow", (event) => {
  const fields = [...document.querySelectorAll("textarea, input:not([type=hidden])")];
  if (event.persisted && !fields.some(typed)) location.reload();
});

reveal(document);
announceToasts();

// After an error the focus is on the field to correct, not on the first one.
document.querySelector("main form:has([autofocus]) [aria-invalid='true']")?.focus();
