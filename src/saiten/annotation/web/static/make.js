/* Elements without HTML: every text goes in as a text node, so nothing from outside can act. */
export function make(name, settings = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(settings)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "text") element.textContent = value;
    else if (key === "class") element.className = value;
    else if (value === true) element.setAttribute(key, "");
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

export const button = (text, onclick, settings = {}) => make("button", { type: "button", text, onclick, ...settings });

/* Whether somebody is writing into this element: then single keys are letters, not commands. */
export function isField(element) {
  if (!(element instanceof HTMLElement)) return false;
  if (element.isContentEditable || element.matches("textarea, select")) return true;
  return element.matches("input") && !["radio", "checkbox", "button"].includes(element.type);
}

/* Told to those who do not see the page; the same sentence twice is told twice. */
export function announce(text) {
  const place = document.getElementById("told");
  place.textContent = "";
  setTimeout(() => { place.textContent = text; }, 60);
}
