/* A button with a panel below it, inside the window; Escape and a click elsewhere close it. */
function popover({ make }, ...content) {
  const summary = make("summary");
  const panel = make("div", "panel", ...content);
  const element = make("details", "popover", summary, panel);
  element.addEventListener("toggle", () => {
    panel.style.removeProperty("--shift");
    const beyond = panel.getBoundingClientRect().right - document.documentElement.clientWidth + 8;
    if (element.open && beyond > 0) panel.style.setProperty("--shift", `${-beyond}px`);
  });
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
