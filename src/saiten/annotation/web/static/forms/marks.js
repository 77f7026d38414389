/* What is marked in both texts, the steps that led there, and what of it travels: offsets in characters. */
import { KINDS, layerOf, ordered } from "../spans.js";

const STEPS = 200; /* that can be undone */

export class Marks {
  #past = [];
  #future = [];

  /* `points`: of each side, what converts between code units and characters; see shown.js. */
  constructor(points) {
    Object.assign(this, { points, of: { reference: [], answer: [] } });
  }

  change(side, marks) {
    this.#past.push(this.of);
    if (this.#past.length > STEPS) this.#past.shift();
    this.#future = [];
    this.of = { ...this.of, [side]: marks };
  }

  /* Whether there was a step to take back, or again. */
  undo() {
    return this.#step(this.#past, this.#future);
  }

  redo() {
    return this.#step(this.#future, this.#past);
  }

  #step(from, to) {
    if (!from.length) return false;
    to.push(this.of);
    this.of = from.pop();
    return true;
  }

  read() {
    return Object.fromEntries(KINDS.map((kind) => {
      const { side } = layerOf(kind);
      const points = this.points[side]();
      return [kind, this.of[side].filter((mark) => mark.kind === kind).map((mark) => [points.toPoints(mark.start), points.toPoints(mark.end)])];
    }));
  }

  /* Anew, without steps; what lies in no text is left out. */
  write(spans) {
    const marks = { reference: [], answer: [] };
    for (const kind of KINDS) {
      const { side } = layerOf(kind);
      const points = this.points[side]();
      for (const [start, end] of spans[kind] ?? []) {
        if (Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= points.length) {
          marks[side].push({ kind, start: points.toUnits(start), end: points.toUnits(end) });
        }
      }
    }
    this.of = { reference: ordered(marks.reference), answer: ordered(marks.answer) };
    [this.#past, this.#future] = [[], []];
  }
}
