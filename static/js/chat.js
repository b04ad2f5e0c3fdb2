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

function tellFiles(input) {
  const names = [...(input?.files ?? [])].map((file) => file.name);
  document.querySelector("[data-files]").textContent = names.join(", ");
}

document.addEventListener("change", (event) => {
  if (event.target.matches("#composer [type=file]")) tellFiles(event.target);
});

// The model stays chosen, so the form is not reset as a whole.
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.target.matches?.("[data-clears]") ? event.target : null;
  if (!form || !event.detail.successful) return;
  form.elements.content.value = "";
  form.elements.attached.value = "";
  tellFiles();
});
