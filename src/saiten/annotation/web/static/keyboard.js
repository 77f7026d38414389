/* Keyboard commands, inactive while somebody types or composes, and the list of them. */
import { announce, button, isComposing, isField, keyOf, make, word } from "./dom.js";
import { foldAll } from "./item_texts.js";

class Keyboard {
  /* `commands`: key → function; `form()`: the form, whose keys come first; `save`: for Ctrl+Enter. */
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

/* Shows the list of keys. */
function showKeys(rows, keyboard) {
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

/* Installs the commands; returns a function that shows the list of keys. */
export function equipKeys({ editor, finder, main, saving, storage, undoing }) {
  function stop(step) {
    const stops = [...main.querySelectorAll("[data-stop]")];
    const at = stops.findLastIndex((each) => each.contains(document.activeElement));
    const to = stops[at < 0 ? (step > 0 ? 0 : stops.length - 1) : Math.min(Math.max(at + step, 0), stops.length - 1)];
    if (!to) return;
    (to.querySelector(".text[tabindex]") ?? to).focus({ preventScroll: true });
    to.scrollIntoView({ block: "nearest" });
  }

  function flag() {
    if (!editor.unclear) return;
    editor.unclear.click();
    announce(`${word("unclear")}: ${editor.unclear.checked ? "✓" : "–"}`);
  }

  function help() {
    if (document.querySelector("dialog[open]")) return;
    showKeys([
      ...(editor.form?.keys ?? []), [["Ctrl+Enter", "⌘+Enter"], "keys_save"], [["j", "k"], "keys_stops"], [["s"], "keys_skip"],
      [["u"], "keys_undo"], [["f"], "keys_flag"], [["r"], "keys_reason"], [["/"], "keys_search"], [["c"], "keys_fold"],
      [["Esc"], "keys_escape"], [["?"], "keys_help"],
    ], keyboard);
  }

  const commands = {
    s: () => saving.skip(),
    u: () => undoing.undo(),
    f: flag,
    r: () => editor.reason?.focus(),
    c: () => foldAll(editor.contexts),
    j: () => stop(1),
    k: () => stop(-1),
    "/": () => finder.input.focus(),
    "?": help,
  };
  const keyboard = new Keyboard({ storage, commands, form: () => editor.form, save: () => saving.save() });
  return help;
}
