// The browser's time zone: sent with consent, and offered if the setting differs.

const KEPT = "zone-kept";
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
const offer = document.getElementById("zone-offer");
const choice = () => `${here} ${offer.dataset.zone}`;

// Browsers name some zones differently, such as Asia/Calcutta for Asia/Kolkata.
function asBrowsersSay(zone) {
  try {
    return Intl.DateTimeFormat(undefined, { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return zone;
  }
}

function fill(root) {
  for (const field of root.querySelectorAll("[data-zone-field]")) field.value = here;
  for (const name of root.querySelectorAll("[data-zone-here]")) name.textContent = here.replaceAll("_", " ");
  for (const words of root.querySelectorAll("[data-zone-words]")) words.hidden = false;
}

if (here) fill(document);
if (here && offer && asBrowsersSay(offer.dataset.zone) !== here && localStorage.getItem(KEPT) !== choice()) {
  const shown = offer.content.cloneNode(true);
  fill(shown);
  shown.querySelector("[data-zone-back]").value = location.pathname + location.search;
  document.getElementById("toasts").append(shown);
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-keeps-zone]")) localStorage.setItem(KEPT, choice());
});
