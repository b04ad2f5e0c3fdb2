// Writing in a chat: drafts that outlast a reload, keys, what a screen reader is told, and what a
// page of an incognito chat says of itself. The page works without this file.

const PRESENCE_MS = 20_000;
const TOLD_CHARACTERS = 400;

const box = () => document.querySelector("#composer textarea");
const draftKey = () => `draft:${location.pathname}`;
const keepsDraft = () => document.querySelector("#composer")?.hasAttribute("data-keeps-draft");

function keepDraft() {
  if (!box() || !keepsDraft()) return;
  if (box().value) sessionStorage.setItem(draftKey(), box().value);
  else sessionStorage.removeItem(draftKey());
}

function bringDraftBack() {
  const kept = sessionStorage.getItem(draftKey());
  if (kept && box() && keepsDraft() && !box().value) box().value = kept;
}

// ↑ in an empty box edits the last message; Escape stops the reply.
function onKey(event) {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowUp" && event.target === box() && !box().value) {
    [...document.querySelectorAll("[data-edit]")].at(-1)?.click();
  }
  if (event.key === "Escape" && !document.querySelector(":popover-open")) {
    document.querySelector("[data-stop]")?.click();
  }
}

function tell(words) {
  const status = document.getElementById("chat-status");
  if (status) status.textContent = words;
}

// The text of a reply without the heads of its code blocks.
function words(text) {
  const read = text.cloneNode(true);
  for (const head of read.querySelectorAll(".code-head")) head.replaceWith("\n");
  return read.textContent.trim().slice(0, TOLD_CHARACTERS);
}

// A screen reader hears that a reply has begun, and the reply once it is whole; never each word.
function announce(name) {
  const said = document.getElementById("chat-status")?.dataset[name];
  const last = [...document.querySelectorAll("#thread > .message-assistant")].at(-1);
  const text = name === "begun" ? null : last?.querySelector(".prose");
  if (said) tell(`${said} ${text ? words(text) : ""}`.trim());
}

// Which tool a reply uses just now is read out as well, in the words that are on show; one that was
// too quick for that is read out once it is done.
function tellDoing() {
  const chips = [...document.querySelectorAll("[data-doing] .chip")];
  const now = chips.filter((chip) => chip.hasAttribute("data-now"));
  const told = now.length ? now : chips;
  if (told.length) tell(told.map((chip) => chip.textContent.trim()).join(" "));
}

function present(left) {
  const banner = document.querySelector("[data-presence]");
  if (!banner) return;
  const form = new FormData();
  form.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
  if (left) form.set("left", "1");
  fetch(banner.dataset.presence, { method: "POST", body: form, keepalive: left }).catch(() => {});
}

const sends = (event) => event.target.matches?.("#composer > form");

// The button that sends gives way to the one that stops, and back, so it hands its focus on.
function leaveButton() {
  const leaves = document.activeElement.closest("#send") && matchMedia("(pointer: fine)").matches;
  if (leaves) box()?.focus();
}

document.addEventListener("input", (event) => { if (event.target === box()) keepDraft(); });
document.addEventListener("keydown", onKey);
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.closest("#composer")) leaveButton();
  if (sends(event)) sessionStorage.removeItem(draftKey());
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (!sends(event)) return;
  // htmx does not call an answer successful that leads elsewhere, as that to a new chat does.
  const { status } = event.detail.xhr;
  if (status >= 200 && status < 400) announce("begun");
  else keepDraft();
});
// Between a lost connection and its return the reply says so, in words that are also read out.
function interrupted(item, lost) {
  const words = item.querySelector("[data-lost]");
  if (!words || words.hidden === !lost) return;
  words.hidden = !lost;
  tell(lost ? words.textContent.trim() : "");
}

document.addEventListener("htmx:sseError", (event) => interrupted(event.target, true));
document.addEventListener("htmx:sseOpen", (event) => interrupted(event.target, false));
// Told before the swap: afterwards the element that heard of it is no longer in the page.
document.addEventListener("htmx:sseBeforeMessage", (event) => {
  if (event.detail.type === "done" || event.detail.type === "failed") {
    leaveButton();
    setTimeout(() => announce(event.detail.type));
  }
  if (event.detail.type === "doing") setTimeout(tellDoing);
});

bringDraftBack();
if (document.querySelector("[data-writing]")) {
  announce("begun");
  tellDoing();
}
if (document.querySelector("[data-presence]")) {
  setInterval(() => present(false), PRESENCE_MS);
  addEventListener("pagehide", () => present(true));
  addEventListener("pageshow", () => present(false));
}
