/* A button with a panel below it; Escape and a click elsewhere close it. */
function popover({ make }, ...content) {
  const summary = make("summary");
  const element = make("details", "popover", summary, make("div", "panel", ...content));
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !element.open) return;
    element.open = false;
    summary.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (element.open && !element.contains(event.target)) element.open = false;
  });
  return { element, name: (text) => (summary.textContent = text) };
}
