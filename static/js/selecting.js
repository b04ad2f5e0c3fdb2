// Counts what is chosen and chooses all. Boxes and buttons work without this file.

const boxes = () => [...document.querySelectorAll(".choose")];

function tell() {
  const chosen = boxes().filter((box) => box.checked).length;
  for (const place of document.querySelectorAll("[data-chosen]")) {
    place.textContent = chosen ? String(chosen) : "";
  }
}

function chooseAll() {
  const all = boxes();
  const wanted = all.some((box) => !box.checked);
  for (const box of all) {
    box.checked = wanted;
    box.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

for (const button of document.querySelectorAll("[data-choose-all]")) button.hidden = boxes().length < 2;
document.addEventListener("change", (event) => { if (event.target.matches(".choose")) tell(); });
document.addEventListener("reset", () => setTimeout(tell));
document.addEventListener("htmx:afterSettle", tell);
document.addEventListener("click", (event) => { if (event.target.closest("[data-choose-all]")) chooseAll(); });
tell();
