/* One question with its possible answers: radio buttons that say what each means, and the key that chooses it. */
import { make } from "./make.js";

let made = 0;

/* The keys of values: the digits themselves where each is one, else 1, 2, 3 … by place. */
export function keysOf(values) {
  const digits = values.map(String);
  return digits.every((digit) => /^\d$/u.test(digit)) ? digits : values.map((_, place) => (place < 9 ? String(place + 1) : ""));
}

export class Choices {
  /* `options`: {value, text, key, sign?}; `sign` is what stands big before the text, the key where there is none. */
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

  /* Whether the key chose something. */
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
