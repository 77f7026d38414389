/* Elements and words: everything is inserted as text nodes, so nothing from outside can act. */
export const data = JSON.parse(document.getElementById("page-data")?.textContent ?? "{}");

/* A sentence of the page with its gaps filled in one pass; an unknown key is shown as it is. */
export function word(key, values = {}) {
  const text = data.words[key] ?? key;
  return text.replace(/\{(\w+)\}/gu, (gap, name) => (Object.hasOwn(values, name) ? String(values[name]) : gap));
}

const figures = new Intl.NumberFormat(data.language);
export const figure = (number) => figures.format(number);

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

/* Whether the element takes typed text: then single keys are letters, not commands. */
export function isField(element) {
  if (!(element instanceof HTMLElement)) return false;
  if (element.isContentEditable || element.matches("textarea, select")) return true;
  return element.matches("input") && !["radio", "checkbox", "button"].includes(element.type);
}

/* Announces a sentence to screen readers, even the same one twice. */
export function announce(text) {
  const place = document.getElementById("announcement");
  place.textContent = "";
  setTimeout(() => { place.textContent = text; }, 60);
}

export const isComposing = (event) => event.isComposing || event.keyCode === 229;

/* The key in half width: an input method may send a wide digit. */
export const keyOf = (event) => (event.key.length <= 2 ? event.key.normalize("NFKC") : event.key);

/* An answer's letter on the page: A, B and so on. */
export const nameOf = (at) => String.fromCharCode(65 + at);

let made = 0;

/* Keys for values: the values themselves if all are digits, else 1, 2, 3 … by position. */
export function keysOf(values) {
  const digits = values.map(String);
  return digits.every((digit) => /^\d$/u.test(digit)) ? digits : values.map((_, place) => (place < 9 ? String(place + 1) : ""));
}

/* A question with radio buttons, each with its meaning and key. */
export class Choices {
  /* `options`: {value, text, key, sign?}; `sign` is shown large before the text and defaults to the key. */
  constructor({ legend, asks, options, changed, wide = false }) {
    made += 1;
    this.options = options;
    this.inputs = options.map(({ value }) => {
      const input = make("input", { type: "radio", name: `choice-${made}`, value: String(value) });
      input.addEventListener("change", changed);
      return input;
    });
    const rows = options.map(({ text, key, sign }, at) => make("label", { class: "choice" },
      this.inputs[at], make("span", { class: "sign", text: sign ?? key }), make("span", { class: "means", dir: "auto", text: text || sign || key }),
      sign !== undefined && key ? make("kbd", { text: key, "aria-hidden": "true" }) : null));
    this.element = make("fieldset", { class: wide ? "choices wide" : "choices" },
      make("legend", {}, make("span", { class: "legend", text: legend, dir: "auto" }), asks ? make("span", { class: "asks", text: asks, dir: "auto" }) : null),
      make("div", { class: "rows" }, ...rows));
  }

  get value() {
    const at = this.inputs.findIndex((input) => input.checked);
    return at < 0 ? null : this.options[at].value;
  }

  set value(value) {
    this.inputs.forEach((input, at) => { input.checked = this.options[at].value === value; });
  }

  /* Returns whether the key chose an option. */
  press(key) {
    const at = this.options.findIndex((option) => option.key === key && key !== "");
    if (at < 0) return false;
    this.inputs[at].checked = true;
    this.inputs[at].dispatchEvent(new Event("change"));
    return true;
  }

  focus() {
    (this.inputs.find((input) => input.checked) ?? this.inputs[0]).focus();
  }
}
