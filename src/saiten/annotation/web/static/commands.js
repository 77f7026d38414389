/* The keys of the page, beside those of its form. */
import { Keyboard, showKeys } from "./keyboard.js";
import { announce } from "./make.js";
import { foldAll } from "./views.js";
import { word } from "./words.js";

/* Equips the page; gives back what shows the list of keys. */
export function equipKeys({ desk, finder, main, saving, storage, undoing }) {
  function stop(step) {
    const stops = [...main.querySelectorAll("[data-stop]")];
    const at = stops.findLastIndex((each) => each.contains(document.activeElement));
    const to = stops[at < 0 ? (step > 0 ? 0 : stops.length - 1) : Math.min(Math.max(at + step, 0), stops.length - 1)];
    if (!to) return;
    (to.querySelector(".text[tabindex]") ?? to).focus({ preventScroll: true });
    to.scrollIntoView({ block: "nearest" });
  }

  function flag() {
    if (!desk.unclear) return;
    desk.unclear.click();
    announce(`${word("unclear")}: ${desk.unclear.checked ? "✓" : "–"}`);
  }

  function help() {
    if (document.querySelector("dialog[open]")) return;
    showKeys([
      ...(desk.form?.keys ?? []), [["Ctrl+Enter", "⌘+Enter"], "keys_save"], [["j", "k"], "keys_stops"], [["s"], "keys_skip"],
      [["u"], "keys_undo"], [["f"], "keys_flag"], [["r"], "keys_reason"], [["/"], "keys_search"], [["c"], "keys_fold"],
      [["Esc"], "keys_escape"], [["?"], "keys_help"],
    ], keyboard);
  }

  const commands = {
    s: () => saving.skip(),
    u: () => undoing.undo(),
    f: flag,
    r: () => desk.reason?.focus(),
    c: () => foldAll(desk.contexts),
    j: () => stop(1),
    k: () => stop(-1),
    "/": () => finder.input.focus(),
    "?": help,
  };
  const keyboard = new Keyboard({ storage, commands, form: () => desk.form, save: () => saving.save() });
  return help;
}
