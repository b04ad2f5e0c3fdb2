// Branches of the tree open and close; without this file each is a page of its own.

function toggle(button) {
  const branch = document.getElementById(button.getAttribute("aria-controls"));
  const open = button.getAttribute("aria-expanded") !== "true";
  button.setAttribute("aria-expanded", String(open));
  branch.hidden = !open;
}

function reveal() {
  for (const button of document.querySelectorAll(".tree-toggle[hidden]")) button.hidden = false;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest(".tree-toggle");
  if (button) toggle(button);
});
document.addEventListener("htmx:afterSettle", reveal);
reveal();
