// Reports an upload that is too large before it is sent, sends any other export at once, and takes files that
// are dropped anywhere on the page.

document.addEventListener("change", (event) => {
  const input = event.target.closest("input[type=file][data-most-bytes]");
  if (!input) return;
  const size = [...input.files].reduce((sum, file) => sum + file.size, 0);
  input.setCustomValidity(size > Number(input.dataset.mostBytes) ? input.dataset.tooLarge : "");
  if (input.reportValidity() && input.files.length && "submits" in input.dataset) input.form.requestSubmit();
});

function onDrag(event) {
  const input = document.querySelector("[data-drops]");
  if (!input || !event.dataTransfer.types.includes("Files") || event.target.closest?.("[type=file]")) return;
  event.preventDefault();
  input.toggleAttribute("data-over", event.type === "dragover");
  if (event.type !== "drop") return;
  input.files = event.dataTransfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

for (const name of ["dragover", "dragleave", "drop"]) document.addEventListener(name, onDrag);
