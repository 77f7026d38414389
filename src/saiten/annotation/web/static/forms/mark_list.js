/* The list of what is marked: each mark with its words, its class, and what can be done with it. */
import { isField, make } from "../make.js";
import { CLASS, LAYERS, has } from "../spans.js";
import { word } from "../words.js";

const HEADINGS = { units: "marks_of_reference", missing: "marks_missing", extra: "marks_extra" };
const kindName = (kind) => word(`kind_${kind}`);
export const idOf = (mark) => `${mark.kind}:${mark.start}:${mark.end}`;
/* The mark that says that the answer lacks this unit. */
export const twinOf = (unit) => ({ kind: `missing_${unit.kind}`, start: unit.start, end: unit.end });

export class MarkList {
  /* `words(side, mark)`; `does`: show, reclass, remove and toggle, each of (side, mark, …). */
  constructor({ words, does }) {
    Object.assign(this, { words, does, element: make("div", { class: "marks" }) });
  }

  /* Anew; what had the focus has it again, or what stands in its place. */
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
