/* Units of the reference, what the answer lacks and what it adds: marked by pointer, finger or keys alone. */
import { Caret } from "../caret.js";
import { make, announce, isField } from "../make.js";
import { excerpt } from "../shown.js";
import { KINDS, LAYERS, has, kindsOf, layerOf, reclassed, trimmed, withMark, without } from "../spans.js";
import { word } from "../words.js";
import { MarkList, idOf } from "./mark_list.js";
import { marked, painted } from "./marked.js";
import { Marks } from "./marks.js";
import { Palette } from "./palette.js";

const SIDES = ["reference", "answer"];
const LISTED = 120; /* characters of a mark in the list */
const kindName = (kind) => word(`kind_${kind}`);

export class Gist {
  #listening = new AbortController();

  constructor({ item, texts, views, changed }) {
    this.views = views;
    this.changed = changed;
    this.marks = new Marks({ reference: () => views.reference.points, answer: () => views.answer.points });
    this.list = new MarkList({
      words: (side, mark) => this.#words(side, mark, LISTED),
      does: {
        show: (side, mark) => this.#show(side, mark),
        reclass: (side, mark, kind) => this.#reclass(side, mark, kind),
        remove: (side, mark) => this.#remove(side, mark),
        toggle: (twin) => this.#toggle(twin),
      },
    });
    this.element = make("section", { class: "gist", "data-stop": "marks", tabindex: "-1", "aria-label": word("marks") },
      make("h2", { text: word("marks") }), this.list.element);
    this.palettes = {};
    this.carets = {};
    const meanings = Object.fromEntries(texts.classes.map(({ name, text }) => [name, text]));
    for (const side of SIDES) this.#equip(side, item.content.language, meanings);
    const { signal } = this.#listening;
    document.addEventListener("selectionchange", () => this.#selected(), { signal });
    document.addEventListener("keydown", (event) => this.#anywhere(event), { signal });
    document.addEventListener("scroll", () => this.#scrolled(), { signal, capture: true, passive: true });
    for (const kind of ["pointerdown", "focusin"]) document.addEventListener(kind, (event) => this.#outside(event), { signal });
    this.keys = [
      [["← → ↑ ↓"], "keys_move"], [["Shift + ← →"], "keys_extend"], [["."], "keys_sentence"],
      [["1", "…", "4"], "keys_class"], [["m"], "keys_lacks"], [["Delete"], "keys_delete"], [["Ctrl+Z", "Ctrl+Y"], "keys_again"],
    ];
    this.#draw();
  }

  /* The form goes; what it listened to on the whole page goes with it. */
  close() {
    this.#listening.abort();
    for (const palette of Object.values(this.palettes)) palette.remove();
  }

  #equip(side, language, meanings) {
    const view = this.views[side];
    this.carets[side] = new Caret(view, language, () => this.#offer(side));
    const hint = make("p", { class: "unseen", id: `keys-of-${side}`, text: word("text_keys") });
    view.element.after(hint);
    view.element.setAttribute("aria-describedby", hint.id);
    this.palettes[side] = new Palette(view, side, { meanings, mark: (kind) => this.#mark(side, kind), remove: () => this.#removeHere(side) });
    view.element.addEventListener("keydown", (event) => this.#pressed(event, side));
    view.element.addEventListener("click", (event) => this.#clicked(event, side));
  }

  /* ---- what is selected ---- */

  /* The browser's selection changed, by whatever means. */
  #selected() {
    for (const side of SIDES) {
      if (this.carets[side].follow(getSelection())) {
        this.#offer(side);
        return;
      }
    }
  }

  #outside(event) {
    if (event.target.closest(".palette, .text")) return;
    for (const side of SIDES) this.palettes[side].hide();
  }

  #scrolled() {
    for (const side of SIDES) if (!this.palettes[side].element.hidden) this.palettes[side].show(this.#crossed(side).length > 0);
  }

  /* Shows the classes beside what is selected. */
  #offer(side) {
    const { start, end } = this.carets[side];
    for (const each of SIDES) if (each !== side) this.palettes[each].hide();
    const placed = trimmed(this.views[side].original, start, end);
    if (!placed) {
      this.palettes[side].hide();
      return;
    }
    this.palettes[side].show(this.#crossed(side).length > 0);
    clearTimeout(this.telling);
    if (document.activeElement === this.views[side].element) {
      this.telling = setTimeout(() => announce(word("selected", { words: this.#words(side, placed, 200) })), 500);
    }
  }

  #crossed(side) {
    const { start, end } = this.carets[side];
    return this.marks.of[side].filter((mark) => mark.start < end && start < mark.end);
  }

  #words(side, mark, most) {
    return excerpt(this.views[side].text.slice(mark.start, mark.end), most);
  }

  #clicked(event, side) {
    const mark = event.target.closest("mark[data-id]");
    if (!mark || !getSelection().isCollapsed) return;
    const found = this.marks.of[side].find((each) => idOf(each) === mark.dataset.id);
    if (found) this.carets[side].select(found.start, found.end);
  }

  #show(side, mark) {
    const { element } = this.views[side];
    element.focus({ preventScroll: true });
    this.carets[side].select(mark.start, mark.end);
    element.querySelector(`[data-id="${idOf(mark)}"]`)?.scrollIntoView({ block: "center" });
  }

  /* ---- keys ---- */

  #anywhere(event) {
    if (isField(event.target) || !(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (!(key === "y" || event.shiftKey ? this.marks.redo() : this.marks.undo())) return;
    this.#draw();
    this.changed();
  }

  #pressed(event, side) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const kind = kindsOf(side)[Number(event.key.normalize("NFKC")) - 1];
    const { start, end } = this.carets[side];
    if (kind && start !== end) this.#mark(side, kind);
    else if (["Delete", "Backspace"].includes(event.key) && this.#crossed(side).length) this.#removeHere(side);
    else return;
    event.preventDefault();
  }

  /* ---- marks ---- */

  #mark(side, kind) {
    const { start, end } = this.carets[side];
    const { original } = this.views[side];
    const placed = trimmed(original, start, end);
    if (!placed) {
      announce(word("nothing_selected"));
      return;
    }
    this.#change(side, withMark(this.marks.of[side], original, kind, start, end));
    this.palettes[side].hide();
    this.carets[side].select(end, end);
    announce(word("marked", { kind: kindName(kind), words: this.#words(side, placed) }));
  }

  #removeHere(side) {
    const gone = this.#crossed(side);
    this.#change(side, this.marks.of[side].filter((mark) => !gone.includes(mark)));
    this.palettes[side].hide();
    const { focus } = this.carets[side];
    this.carets[side].select(focus, focus);
    for (const mark of gone) announce(word("removed", { words: this.#words(side, mark) }));
  }

  #reclass(side, mark, kind) {
    if (kind === mark.kind) return;
    this.#change(side, reclassed(this.marks.of[side], this.views[side].original, mark, kind));
    announce(word("marked", { kind: kindName(kind), words: this.#words(side, mark) }));
  }

  #remove(side, mark) {
    this.#change(side, without(this.marks.of[side], mark));
    announce(word("removed", { words: this.#words(side, mark) }));
  }

  #toggle(twin) {
    const { reference } = this.marks.of;
    this.#change("reference", has(reference, twin)
      ? without(reference, twin)
      : withMark(reference, this.views.reference.original, twin.kind, twin.start, twin.end));
  }

  #change(side, marks) {
    this.marks.change(side, marks);
    this.#draw();
    this.changed();
  }

  /* The texts with their marks, and the list of them. The one that has the focus keeps it. */
  #draw() {
    for (const side of SIDES) {
      const caret = this.carets[side];
      const marks = this.marks.of[side];
      this.views[side].layers.marks = painted(marks).map((span, at) => ({ ...span, id: idOf(marks[at]) }));
      const had = document.activeElement === caret.region;
      this.views[side].repaint();
      if (had) caret.select(caret.anchor, caret.focus);
    }
    this.list.draw(this.marks.of);
  }

  /* ---- what a form does ---- */

  read() {
    return { spans: this.marks.read() };
  }

  write({ spans = {} }) {
    this.marks.write(spans);
    this.#draw();
  }

  /* An answer that lacks and adds nothing has nothing marked but the units of its reference. */
  problem({ unclear }) {
    const units = this.marks.of.reference.some((mark) => layerOf(mark.kind).name === "units");
    return units || unclear ? null : { message: word("mark_units"), at: { element: this.element, focus: () => this.views.reference.element.focus() } };
  }

  press() {
    return false;
  }

  tell({ spans = {} }) {
    return KINDS.filter((kind) => spans[kind]?.length).map((kind) => `${kindName(kind)} ${spans[kind].length}`).join(", ");
  }

  /* The same in the texts, to be looked at before it is taken over. */
  static marked(content, payload) {
    return marked(content, payload);
  }

  /* What is about the reference alone, and holds for every answer that is held against it; null where nothing is. */
  static carriedOver({ spans = {} }) {
    const { kinds } = LAYERS.find((layer) => layer.name === "units");
    const units = Object.fromEntries(kinds.map((kind) => [kind, spans[kind] ?? []]));
    return kinds.some((kind) => units[kind].length) ? { spans: units } : null;
  }
}
