// The chat: an emptied composer after sending, and copy buttons on code.

const COPY = "Copy";
const COPIED = "Copied";
let codes = 0;

function addCopyButtons(root) {
  if (!navigator.clipboard) return;
  for (const block of root.querySelectorAll(".prose pre:not([data-copyable])")) {
    block.dataset.copyable = "";
    block.id ||= `code-${(codes += 1)}`;
    const frame = document.createElement("div");
    frame.className = "code";
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button button-small", textContent: COPY });
    Object.assign(button.dataset, { copy: `#${block.id}`, copied: COPIED });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.target.closest("[data-clears]");
  if (form && event.detail.successful) form.reset();
});

document.addEventListener("htmx:afterSettle", () => addCopyButtons(document));
addCopyButtons(document);
