() => [...document.querySelectorAll(
  "a[href], button, input:not([type=hidden], [type=radio]), select, textarea, summary",
)].filter((each) => each.tabIndex >= 0 && !each.disabled && each.checkVisibility({ visibilityProperty: true }))

(target) => {
  const near = 3;
  const ahead = (one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
  const from = document.activeElement;
  const before = STOPS().filter((each) => ahead(each, target));
  const between = ahead(from, target) ? before.filter((each) => ahead(from, each)) : before;
  if (between.length > near && !target.closest("dialog")) before.at(-near).focus();
}

(target) => {
  const focused = document.activeElement;
  if (focused === target) return true;
  const group = target.type === "radio" && focused?.type === "radio" && target.name;
  return Boolean(group) && focused.name === group && focused.form === target.form;
}

(target) => {
  const style = getComputedStyle(target);
  const inline = style.display === "inline" && target.tagName === "A";
  const box = inline ? target.getClientRects()[0] : target.getBoundingClientRect();
  const form = getComputedStyle(target.closest("form:focus-within") ?? target);
  const ring = target.matches(":focus-visible") && (
    (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
    || style.boxShadow !== "none"
    || target.matches("textarea") && form.boxShadow !== "none"
  );
  const left = Math.max(0, box.left), right = Math.min(innerWidth, box.right);
  const top = Math.max(0, box.top), bottom = Math.min(innerHeight, box.bottom);
  const points = [[0.5, 0.5], [0.2, 0.5], [0.8, 0.5], [0.5, 0.2], [0.5, 0.8]];
  const label = target.closest("label");
  const open = right > left && bottom > top && points.some(([across, down]) => {
    const there = document.elementFromPoint(
      left + across * (right - left), top + down * (bottom - top),
    );
    return there && (target.contains(there) || there.contains(target) && there === label);
  });
  return [box.width, box.height, ring, open, inline];
}
