/* The keyboard: what each key does, never while somebody writes or composes, and a list of it. */
import { isField, make, button } from "./make.js";
import { word } from "./words.js";

export const isComposing = (event) => event.isComposing || event.keyCode === 229;

/* The key as it is printed, in half width: an input method may send a wide digit. */
export const keyOf = (event) => (event.key.length <= 2 ? event.key.normalize("NFKC") : event.key);

export class Keyboard {
  /* `commands`: key → what to do; `form()`: the form, whose own keys come first; `save`: for Ctrl+Enter. */
  constructor({ storage, commands, form, save }) {
    Object.assign(this, { storage, commands, form, save });
    document.addEventListener("keydown", (event) => this.#pressed(event));
  }

  get single() {
    return this.storage.get("single-keys") !== false;
  }

  #pressed(event) {
    if (isComposing(event) || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    const key = keyOf(event);
    if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!event.repeat) this.save();
      return;
    }
    if (key === "Escape" && isField(event.target)) {
      event.target.blur();
      return;
    }
    if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey || !this.single) return;
    if (event.repeat && !["j", "k"].includes(key)) return;
    const command = this.commands[key];
    if (this.form()?.press(key) || (command && command() !== false)) event.preventDefault();
  }
}

/* The list of keys. */
export function showKeys(rows, keyboard) {
  const single = make("input", { type: "checkbox", id: "single-keys" });
  single.checked = keyboard.single;
  single.addEventListener("change", () => keyboard.storage.set("single-keys", single.checked));
  const table = make("table", {}, make("tbody", {}, ...rows.map(([keys, what]) => make("tr", {},
    make("th", { scope: "row" }, ...keys.flatMap((key, at) => (at ? [" ", make("kbd", { text: key })] : [make("kbd", { text: key })]))),
    make("td", { text: word(what) })))));
  const dialog = make("dialog", { class: "keys", "aria-labelledby": "keys-title" },
    make("h2", { id: "keys-title", text: word("keys_title") }), make("div", { class: "keys-list", tabindex: "0", role: "region", "aria-label": word("keys_title") }, table),
    make("p", { class: "single" }, make("label", {}, single, word("keys_single")), make("small", { text: word("keys_single_hint") })),
    button(word("close"), () => dialog.close(), { class: "plain", autofocus: true }));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
