// The chat: an emptied composer after sending, attached files, and copy buttons.

const SHOWN_MS = 2000;
const status = () => document.getElementById("chat-status");

// What a script can do is shown by a mark on the page, so that nothing moves when a reply grows.
if (navigator.clipboard) document.documentElement.dataset.copies = "";

function words(button) {
  const code = button.closest(".code");
  if (code) return code.querySelector("pre").textContent;
  const texts = button.closest(".message").querySelectorAll(".message-text");
  return [...texts].map((text) => {
    const copied = text.cloneNode(true);
    for (const head of copied.querySelectorAll(".code-head")) head.remove();
    document.body.append(copied);
    const plain = copied.innerText.trim();
    copied.remove();
    return plain;
  }).join("\n\n");
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy-reply], [data-copy-code]");
  if (!button) return;
  await navigator.clipboard.writeText(words(button));
  const label = button.querySelector("span") ?? button;
  const before = label.textContent;
  if (!status() || before === status().dataset.copied) return;
  label.textContent = status().textContent = status().dataset.copied;
  setTimeout(() => { label.textContent = before; }, SHOWN_MS);
});

// Chosen, dropped or pasted files are added to those already attached, and each can be removed.
const attached = new WeakMap();

function attach(input, files) {
  const list = new DataTransfer();
  for (const file of files) list.items.add(file);
  input.files = list.files;
  attached.set(input, files);
  const shown = document.querySelector("[data-files]");
  for (const chip of shown.querySelectorAll("button")) chip.remove();
  shown.append(...files.map((file, place) => {
    const chip = document.getElementById("attached-file").content.firstElementChild.cloneNode(true);
    chip.querySelector("bdi").textContent = file.name;
    chip.addEventListener("click", () => {
      attach(input, files.filter((each) => each !== file));
      const chips = [...shown.querySelectorAll("button")];
      (chips[place] ?? chips.at(-1) ?? input).focus();
    });
    return chip;
  }));
}

async function isText(file) {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()).includes("\0");
  } catch {
    return false;
  }
}

// The server checks the same when the message is sent, and says the same.
async function addFiles(chosen) {
  const input = document.querySelector("#composer [type=file]");
  const { mostFiles, mostBytes, tooMany, tooLarge, notText } = input.dataset;
  const files = [...chosen];
  const texts = await Promise.all(files.map((file) => file.size > mostBytes || isText(file)));
  const kept = [...(attached.get(input) ?? [])];
  const room = mostFiles - document.querySelectorAll("[data-files] :checked").length;
  const refusals = document.createElement("ul");
  refusals.className = "errorlist";
  const refuse = (file, reason) => {
    refusals.append(Object.assign(document.createElement("li"), { textContent: reason.replace("{name}", () => file.name) }));
  };
  files.forEach((file, place) => {
    if (kept.length >= room) refuse(file, tooMany);
    else if (file.size > mostBytes) refuse(file, tooLarge);
    else if (!texts[place]) refuse(file, notText);
    else kept.push(file);
  });
  attach(input, kept);
  document.getElementById("file-trouble").replaceChildren(...(refusals.children.length ? [refusals] : []));
}

document.addEventListener("change", (event) => {
  if (event.target.matches("#composer [type=file]")) addFiles(event.target.files);
});

document.addEventListener("paste", (event) => {
  const { files, types } = event.clipboardData;
  if (!files.length || types.includes("text/plain") || !event.target.closest?.("#composer")) return;
  event.preventDefault();
  addFiles(files);
});

// The model stays chosen, so the form is not reset as a whole.
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.target.matches?.("[data-clears]") ? event.target : null;
  if (!form || !event.detail.successful) return;
  form.elements.content.value = "";
  form.querySelector("[data-files]").replaceChildren();
  attach(form.elements.attached, []);
});
