// Reports an upload that is too large before it is sent, and sends any other export at once.

document.addEventListener("change", (event) => {
  const input = event.target.closest("input[type=file][data-most-bytes]");
  if (!input) return;
  const size = [...input.files].reduce((sum, file) => sum + file.size, 0);
  input.setCustomValidity(size > Number(input.dataset.mostBytes) ? input.dataset.tooLarge : "");
  if (input.reportValidity() && input.files.length && "submits" in input.dataset) input.form.requestSubmit();
});
