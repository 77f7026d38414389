/* Units of the reference, what the answer lacks and what it adds: marked by pointer, finger or keys alone. */
import { Caret } from "../caret.js";
import { make, button, announce, isField } from "../make.js";
import { excerpt } from "../shown.js";
import { CLASS, KINDS, LAYERS, has, kindsOf, layerOf, ordered, reclassed, trimmed, withMark, without } from "../spans.js";
import { word } from "../words.js";

const SIDES = ["reference", "answer"];
const HEADINGS = { units: "marks_of_reference", missing: "marks_missing", extra: "marks_extra" };
const kindName = (kind) => word(`kind_${kind}`);

export class Gist {
  #past = [];
  #future = [];
  #listening = new AbortController();

  constructor({ item, texts, views, changed }) {
    this.views = views;
    this.changed = changed;
    this.marks = { reference: [], answer: [] };
    this.meanings = Object.fromEntries(texts.classes.map(({ name, text }) => [name, text]));
    this.list = make("div", { class: "marks" });
    this.element = make("section", { class: "gist", "data-stop": "marks", tabindex: "-1", "aria-label": word("marks") },
      make("h2", { text: word("marks") }), this.list);
    this.palettes = {};
    this.carets = {};
    for (const side of SIDES) this.#equip(side, item.content.language);
    const { signal } = this.#listening;
    document.addEventListener("selectionchange", () => this.#selected(), { signal });
    document.addEventListener("keydown", (event) => this.#anywhere(event), { signal });
    for (const kind of ["pointerdown", "focusin"]) document.addEventListener(kind, (event) => this.#outside(event), { signal });
    this.keys = [
      [["← → ↑ ↓"], "keys_move"], [["Shift + ← →"], "keys_extend"], [["."], "keys_sentence"],
      [["1", "…", "4"], "keys_class"], [["Delete"], "keys_delete"], [["Ctrl+Z", "Ctrl+Y"], "keys_again"],
    ];
    this.#draw();
  }

  /* The form goes; what it listened to on the whole page goes with it. */
  close() {
    this.#listening.abort();
    for (const palette of Object.values(this.palettes)) palette.remove();
  }

  #equip(side, language) {
    const view = this.views[side];
    const caret = new Caret(view, language, () => this.#offer(side));
    this.carets[side] = caret;
    const hint = make("p", { class: "unseen", id: `keys-of-${side}`, text: word("text_keys") });
    view.element.after(hint);
    view.element.setAttribute("aria-describedby", hint.id);
    const palette = make("div", { class: "palette", role: "toolbar", "aria-label": word("mark_as"), hidden: true });
    kindsOf(side).forEach((kind, at) => palette.append(button("", () => this.#mark(side, kind), {
      class: "kind", title: this.meanings[kind], "data-kind": kind,
    })));
    palette.querySelectorAll(".kind").forEach((each, at) => {
      const kind = kindsOf(side)[at];
      each.append(make("span", { class: `sign ${CLASS[kind]}` }), make("span", { text: kindName(kind) }), make("kbd", { text: String(at + 1) }));
    });
    const gone = button(word("remove"), () => this.#removeHere(side), { class: "gone" });
    palette.append(gone);
    /* The selection must outlive a click on a button. */
    palette.addEventListener("pointerdown", (event) => event.preventDefault());
    view.element.parentElement.append(palette);
    this.palettes[side] = palette;
    view.element.addEventListener("keydown", (event) => this.#pressed(event, side));
    view.element.addEventListener("click", (event) => this.#clicked(event, side));
  }

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
    for (const side of SIDES) this.palettes[side].hidden = true;
  }

  /* Shows the classes beside what is selected. */
  #offer(side) {
    const { start, end } = this.carets[side];
    for (const each of SIDES) if (each !== side) this.palettes[each].hidden = true;
    const palette = this.palettes[side];
    const placed = trimmed(this.views[side].original, start, end);
    palette.hidden = placed === null;
    if (!placed) return;
    palette.querySelector(".gone").hidden = !this.#crossed(side).length;
    const box = getSelection().rangeCount ? [...getSelection().getRangeAt(0).getClientRects()].at(-1) : null;
    const frame = palette.parentElement.getBoundingClientRect();
    if (!box || !frame.width) return;
    const left = Math.min(Math.max(8, box.right - frame.left - palette.offsetWidth / 2), frame.width - palette.offsetWidth - 8);
    palette.style.left = `${Math.max(0, left)}px`;
    palette.style.top = `${box.bottom - frame.top + 8}px`;
    clearTimeout(this.telling);
    if (document.activeElement === this.views[side].element) {
      this.telling = setTimeout(() => announce(word("selected", { words: excerpt(this.views[side].text.slice(placed.start, placed.end), 200) })), 500);
    }
  }

  #crossed(side) {
    const { start, end } = this.carets[side];
    return this.marks[side].filter((mark) => mark.start < end && start < mark.end);
  }

  #clicked(event, side) {
    const mark = event.target.closest("mark[data-id]");
    if (!mark || !getSelection().isCollapsed) return;
    const found = this.marks[side].find((each) => idOf(each) === mark.dataset.id);
    if (found) this.carets[side].select(found.start, found.end);
  }

  #mark(side, kind) {
    const { start, end } = this.carets[side];
    const { text, original } = this.views[side];
    const placed = trimmed(original, start, end);
    if (!placed) {
      announce(word("nothing_selected"));
      return;
    }
    this.#change(side, withMark(this.marks[side], original, kind, start, end));
    this.palettes[side].hidden = true;
    this.carets[side].select(end, end);
    announce(word("marked", { kind: kindName(kind), words: excerpt(text.slice(placed.start, placed.end)) }));
  }

  #removeHere(side) {
    const gone = this.#crossed(side);
    this.#change(side, this.marks[side].filter((mark) => !gone.includes(mark)));
    this.palettes[side].hidden = true;
    const { focus } = this.carets[side];
    this.carets[side].select(focus, focus);
    for (const mark of gone) announce(word("removed", { words: this.#words(side, mark) }));
  }

  #words(side, mark, most) {
    return excerpt(this.views[side].text.slice(mark.start, mark.end), most);
  }

  #change(side, marks) {
    this.#past.push(this.marks);
    if (this.#past.length > 200) this.#past.shift();
    this.#future = [];
    this.marks = { ...this.marks, [side]: marks };
    this.#draw();
    this.changed();
  }

  #again(from, to) {
    if (!from.length) return;
    to.push(this.marks);
    this.marks = from.pop();
    this.#draw();
    this.changed();
  }

  #anywhere(event) {
    if (isField(event.target) || !(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) this.#again(this.#future, this.#past);
    else this.#again(this.#past, this.#future);
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

  /* The texts with their marks, and the list of them. The one that has the focus keeps it. */
  #draw() {
    for (const side of SIDES) {
      const caret = this.carets[side];
      this.views[side].layers.marks = this.marks[side].map((mark) => ({
        start: mark.start, end: mark.end, class: CLASS[mark.kind], id: idOf(mark), depth: layerOf(mark.kind).name === "missing" ? 1 : 0,
      }));
      const had = document.activeElement === caret.region;
      this.views[side].repaint();
      if (had) caret.select(caret.anchor, caret.focus);
    }
    this.#drawList();
  }

  #drawList() {
    const focused = this.list.contains(document.activeElement)
      ? [document.activeElement.closest("li")?.dataset.id, document.activeElement.dataset.part, [...this.list.querySelectorAll("li")].indexOf(document.activeElement.closest("li"))]
      : null;
    const groups = LAYERS.map((layer) => {
      const marks = this.marks[layer.side].filter((mark) => layer.kinds.includes(mark.kind));
      if (!marks.length) return null;
      return make("section", {}, make("h3", { text: word(HEADINGS[layer.name]) }),
        make("ul", {}, ...marks.map((mark) => this.#row(layer, mark))));
    }).filter(Boolean);
    this.list.replaceChildren(...(groups.length ? groups : [make("p", { class: "hint", text: word("marks_none") })]));
    if (!focused) return;
    const rows = [...this.list.querySelectorAll("li")];
    const row = rows.find((each) => each.dataset.id === focused[0]) ?? rows[Math.min(focused[2], rows.length - 1)];
    (row?.querySelector(`[data-part="${focused[1]}"]`) ?? row?.querySelector("button") ?? this.element).focus({ preventScroll: true });
  }

  #row(layer, mark) {
    const { side } = layer;
    const words = this.#words(side, mark);
    const choose = make("select", { "aria-label": word("class_of", { words }), "data-part": "class" },
      ...layer.kinds.map((kind) => make("option", { value: kind, text: kindName(kind), selected: kind === mark.kind })));
    choose.addEventListener("change", () => this.#reclass(side, mark, choose.value));
    const show = make("button", { type: "button", class: "words", dir: "auto", "data-part": "words", onclick: () => this.#show(side, mark) },
      make("span", { class: `sign ${CLASS[mark.kind]}` }), make("span", { text: words }));
    const twin = { kind: `missing_${mark.kind}`, start: mark.start, end: mark.end };
    const lacks = layer.name === "units" && make("button", {
      type: "button", class: "lacks", "data-part": "lacks", text: word("lacks"), "aria-label": word("lacks_mark", { words }),
      "aria-pressed": String(has(this.marks.reference, twin)), onclick: () => this.#toggleLacks(twin),
    });
    const gone = make("button", { type: "button", class: "gone", "data-part": "gone", text: "×", "aria-label": word("remove_mark", { words }), title: word("remove"), onclick: () => this.#remove(side, mark) });
    return make("li", { "data-id": idOf(mark), onkeydown: (event) => this.#inList(event, layer, mark) }, show, choose, lacks || null, gone);
  }

  #inList(event, layer, mark) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    const kind = layer.kinds[Number(event.key.normalize("NFKC")) - 1];
    const rows = [...this.list.querySelectorAll("li")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (kind) this.#reclass(layer.side, mark, kind);
    else if (["Delete", "Backspace"].includes(event.key)) this.#remove(layer.side, mark);
    else if (event.key === "m" && layer.name === "units") this.#toggleLacks({ kind: `missing_${mark.kind}`, start: mark.start, end: mark.end });
    else if (step) rows[rows.indexOf(event.currentTarget) + step]?.querySelector("button").focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #show(side, mark) {
    const { element } = this.views[side];
    element.focus({ preventScroll: true });
    this.carets[side].select(mark.start, mark.end);
    element.querySelector(`[data-id="${idOf(mark)}"]`)?.scrollIntoView({ block: "center" });
  }

  #reclass(side, mark, kind) {
    if (kind === mark.kind) return;
    this.#change(side, reclassed(this.marks[side], this.views[side].original, mark, kind));
    announce(word("marked", { kind: kindName(kind), words: this.#words(side, mark) }));
  }

  #remove(side, mark) {
    this.#change(side, without(this.marks[side], mark));
    announce(word("removed", { words: this.#words(side, mark) }));
  }

  #toggleLacks(twin) {
    const { original } = this.views.reference;
    const marks = has(this.marks.reference, twin)
      ? without(this.marks.reference, twin)
      : withMark(this.marks.reference, original, twin.kind, twin.start, twin.end);
    this.#change("reference", marks);
  }

  read() {
    const spans = Object.fromEntries(KINDS.map((kind) => {
      const { side } = layerOf(kind);
      const { points } = this.views[side];
      return [kind, this.marks[side].filter((mark) => mark.kind === kind).map((mark) => [points.toPoints(mark.start), points.toPoints(mark.end)])];
    }));
    return { spans };
  }

  write({ spans = {} }) {
    const marks = { reference: [], answer: [] };
    for (const kind of KINDS) {
      const { side } = layerOf(kind);
      const { points } = this.views[side];
      for (const [start, end] of spans[kind] ?? []) {
        if (Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= points.length) {
          marks[side].push({ kind, start: points.toUnits(start), end: points.toUnits(end) });
        }
      }
    }
    this.marks = { reference: ordered(marks.reference), answer: ordered(marks.answer) };
    [this.#past, this.#future] = [[], []];
    this.#draw();
  }

  /* An answer that lacks and adds nothing has nothing marked but the units of its reference. */
  problem({ unclear }) {
    const units = this.marks.reference.some((mark) => layerOf(mark.kind).name === "units");
    return units || unclear ? null : { message: word("mark_units"), at: { element: this.element, focus: () => this.views.reference.element.focus() } };
  }

  press() {
    return false;
  }

  tell({ spans = {} }) {
    return KINDS.filter((kind) => spans[kind]?.length).map((kind) => `${kindName(kind)} ${spans[kind].length}`).join(", ");
  }
}

const idOf = (mark) => `${mark.kind}:${mark.start}:${mark.end}`;
