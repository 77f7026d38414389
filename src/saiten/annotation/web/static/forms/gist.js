/* Units of the reference, and what the answer lacks and adds: marked by pointer, finger or keyboard. */
import { Caret } from "../caret.js";
import { announce, button, isField, make, word } from "../dom.js";
import { excerpt } from "../text.js";
import {
  CLASS, KINDS, LAYERS, Marks, SIDES, has, kindsOf, layerOf, marked, painted, reclassed, trimmed, withMark, without,
} from "./marks.js";

const LISTED = 120; /* characters of a mark shown in the list */
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

  /* Removes the form's listeners on the page. */
  close() {
    this.#listening.abort();
    for (const palette of Object.values(this.palettes)) palette.remove();
  }

  #equip(side, language, meanings) {
    const view = this.views[side];
    this.carets[side] = new Caret(view, language, () => this.#offer(side));
    const hint = make("p", { class: "visually-hidden", id: `keys-of-${side}`, text: word("text_keys") });
    view.element.after(hint);
    view.element.setAttribute("aria-describedby", hint.id);
    this.palettes[side] = new Palette(view, side, { meanings, mark: (kind) => this.#mark(side, kind), remove: () => this.#removeHere(side) });
    view.element.addEventListener("keydown", (event) => this.#pressed(event, side));
    view.element.addEventListener("click", (event) => this.#clicked(event, side));
  }

  /* ---- selection ---- */

  /* The browser's selection changed. */
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

  /* Shows the classes next to the selection. */
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

  /* ---- the interface of a form ---- */

  read() {
    return { spans: this.marks.read() };
  }

  write({ spans = {} }) {
    this.marks.write(spans);
    this.#draw();
  }

  /* Only units of the reference are required: an answer may lack and add nothing. */
  problem({ unclear }) {
    const units = this.marks.of.reference.some((mark) => layerOf(mark.kind).name === "units");
    return units || unclear ? null : { message: word("mark_units"), at: { element: this.element, focus: () => this.views.reference.element.focus() } };
  }

  press() {
    return false;
  }

  describe({ spans = {} }) {
    return KINDS.filter((kind) => spans[kind]?.length).map((kind) => `${kindName(kind)} ${spans[kind].length}`).join(", ");
  }

  /* Displays a payload's marks in the texts. */
  static marked(content, payload) {
    return marked(content, payload);
  }

  /* The part that concerns the reference alone, valid for every answer compared with it; null if empty. */
  static carriedOver({ spans = {} }) {
    const { kinds } = LAYERS.find((layer) => layer.name === "units");
    const units = Object.fromEntries(kinds.map((kind) => [kind, spans[kind] ?? []]));
    return kinds.some((kind) => units[kind].length) ? { spans: units } : null;
  }
}

const HEADINGS = { units: "marks_of_reference", missing: "marks_missing", extra: "marks_extra" };
const idOf = (mark) => `${mark.kind}:${mark.start}:${mark.end}`;
/* The mark for a unit that the answer lacks. */
const twinOf = (unit) => ({ kind: `missing_${unit.kind}`, start: unit.start, end: unit.end });

/* The list of marks: each with its words, class and buttons. */
class MarkList {
  /* `words(side, mark)`; `does`: show, reclass, remove and toggle, each of (side, mark, …). */
  constructor({ words, does }) {
    Object.assign(this, { words, does, element: make("div", { class: "marks" }) });
  }

  /* Redraws; keeps the focus on the same part, or on its successor. */
  draw(marks) {
    const focused = this.#focused();
    const groups = LAYERS.map((layer) => {
      const here = marks[layer.side].filter((mark) => layer.kinds.includes(mark.kind));
      if (!here.length) return null;
      return make("section", {}, make("h3", { text: word(HEADINGS[layer.name]) }),
        make("ul", {}, ...here.map((mark) => this.#row(layer, mark, marks))));
    }).filter(Boolean);
    this.element.replaceChildren(...(groups.length ? groups : [make("p", { class: "hint", text: word("marks_none") })]));
    if (!focused) return;
    const rows = this.#rows;
    const row = rows.find((each) => each.dataset.id === focused.id) ?? rows[Math.min(focused.at, rows.length - 1)];
    (row?.querySelector(`[data-part="${focused.part}"]`) ?? row?.querySelector("button") ?? this.element.closest("[tabindex]"))?.focus({ preventScroll: true });
  }

  get #rows() {
    return [...this.element.querySelectorAll("li")];
  }

  #focused() {
    if (!this.element.contains(document.activeElement)) return null;
    const row = document.activeElement.closest("li");
    return { id: row?.dataset.id, part: document.activeElement.dataset.part, at: this.#rows.indexOf(row) };
  }

  #row(layer, mark, marks) {
    const { side } = layer;
    const words = this.words(side, mark);
    const other = layer.kinds.find((kind) => kind !== mark.kind);
    const turn = make("button", {
      type: "button", class: "turn", "data-part": "class", title: word("turn_into", { kind: kindName(other) }),
      "aria-label": word("class_of", { words, kind: kindName(mark.kind), other: kindName(other) }), onclick: () => this.does.reclass(side, mark, other),
    }, make("span", { class: `sign ${CLASS[mark.kind]}` }), make("span", { class: "turns", "aria-hidden": "true", text: "⇄" }));
    const show = make("button", { type: "button", class: "words", dir: "auto", "data-part": "words", onclick: () => this.does.show(side, mark) },
      make("span", { text: words }));
    const lacks = layer.name === "units" && make("button", {
      type: "button", class: "lacks", "data-part": "lacks", text: word("lacks"), "aria-label": word("lacks_mark", { words }),
      "aria-pressed": String(has(marks.reference, twinOf(mark))), onclick: () => this.does.toggle(twinOf(mark)),
    });
    const gone = make("button", {
      type: "button", class: "gone", "data-part": "gone", text: "×", "aria-label": word("remove_mark", { words }), title: word("remove"),
      onclick: () => this.does.remove(side, mark),
    });
    return make("li", { "data-id": idOf(mark), onkeydown: (event) => this.#pressed(event, layer, mark) }, turn, show, lacks || null, gone);
  }

  #pressed(event, layer, mark) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    const kind = layer.kinds[Number(event.key.normalize("NFKC")) - 1];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (kind) this.does.reclass(layer.side, mark, kind);
    else if (["Delete", "Backspace"].includes(event.key)) this.does.remove(layer.side, mark);
    else if (event.key === "m" && layer.name === "units") this.does.toggle(twinOf(mark));
    else if (step) this.#rows[this.#rows.indexOf(event.currentTarget) + step]?.querySelector('[data-part="words"]').focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

const APART = 8; /* pixels */

/* The classes for a selected passage, next to the selection. */
class Palette {
  /* `mark(kind)`, `remove()`: called by the buttons; `meanings`: class → meaning. */
  constructor(view, side, { meanings, mark, remove }) {
    this.view = view;
    this.gone = button(word("remove"), remove, { class: "gone" });
    this.element = make("div", { class: "palette", role: "toolbar", "aria-label": word("mark_as"), hidden: true },
      ...kindsOf(side).map((kind, at) => make("button", { type: "button", class: "kind", title: meanings[kind], "data-kind": kind, onclick: () => mark(kind) },
        make("span", { class: `sign ${CLASS[kind]}` }), make("span", { text: word(`kind_${kind}`) }), make("kbd", { text: String(at + 1) }))),
      this.gone);
    /* Keeps the selection when a button is clicked. */
    this.element.addEventListener("pointerdown", (event) => event.preventDefault());
    view.element.parentElement.append(this.element);
  }

  hide() {
    this.element.hidden = true;
  }

  /* At the end of the selection; above it if there is no room below. */
  show(removable) {
    const { element, view } = this;
    element.hidden = false;
    this.gone.hidden = !removable;
    const selection = getSelection();
    const box = selection.rangeCount ? [...selection.getRangeAt(0).getClientRects()].at(-1) : null;
    const frame = view.element.getBoundingClientRect();
    if (!box || !frame.width) return;
    const [left, right] = [Math.max(frame.left, 0) + APART, Math.min(frame.right, innerWidth) - element.offsetWidth - APART];
    element.style.left = `${Math.max(left, Math.min(box.right - element.offsetWidth / 2, right))}px`;
    const below = box.bottom + APART;
    const fits = below + element.offsetHeight < innerHeight - APART;
    element.style.top = `${fits ? below : Math.max(APART, box.top - element.offsetHeight - APART)}px`;
  }

  remove() {
    this.element.remove();
  }
}
