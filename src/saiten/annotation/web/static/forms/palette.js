/* The classes that a selected passage can get, beside the selection. */
import { button, make } from "../make.js";
import { CLASS, kindsOf } from "../spans.js";
import { word } from "../words.js";

const APART = 8; /* pixels */

export class Palette {
  /* `mark(kind)`, `remove()`: what its buttons do; `meanings`: of each class. */
  constructor(view, side, { meanings, mark, remove }) {
    this.view = view;
    this.gone = button(word("remove"), remove, { class: "gone" });
    this.element = make("div", { class: "palette", role: "toolbar", "aria-label": word("mark_as"), hidden: true },
      ...kindsOf(side).map((kind, at) => make("button", { type: "button", class: "kind", title: meanings[kind], "data-kind": kind, onclick: () => mark(kind) },
        make("span", { class: `sign ${CLASS[kind]}` }), make("span", { text: word(`kind_${kind}`) }), make("kbd", { text: String(at + 1) }))),
      this.gone);
    /* The selection must outlive a click on a button. */
    this.element.addEventListener("pointerdown", (event) => event.preventDefault());
    view.element.parentElement.append(this.element);
  }

  hide() {
    this.element.hidden = true;
  }

  /* At the end of what is selected; above it where there is no room below. */
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
