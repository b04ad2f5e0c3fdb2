// What was told stands above whatever holds to the lower edge of the window, or it would lie over the
// next step. Without this file it stands where it is written down in components.css.

const toasts = document.getElementById("toasts");
const root = document.documentElement;
const watched = new ResizeObserver(place);

function lowerEdge() {
  const reached = innerHeight - 2 * toasts.offsetHeight;
  const tops = [...document.querySelectorAll("[data-at-edge]")]
    .map((bar) => bar.getBoundingClientRect())
    .filter((box) => box.height && box.top < innerHeight && box.bottom > reached)
    .map((box) => box.top);
  return Math.max(toasts.offsetHeight, Math.min(innerHeight, ...tops));
}

function place() {
  const told = toasts.childElementCount > 0;
  root.style.setProperty("--edge", told ? `${innerHeight - lowerEdge()}px` : "0px");
  root.style.setProperty("--told", told ? `${toasts.offsetHeight}px` : "0px");
}

function watch() {
  for (const each of [toasts, ...document.querySelectorAll("[data-at-edge]")]) watched.observe(each);
  place();
}

document.addEventListener("scroll", place, { passive: true });
document.addEventListener("htmx:afterSettle", watch);
addEventListener("resize", place);
watch();
