/* Marks on reference and answer: their layers, changes with undo, and display. Offsets are code units, the end exclusive. */
import { make, word } from "../dom.js";
import { View } from "../item_texts.js";

export const SIDES = ["reference", "answer"];
export const LAYERS = [
  { name: "units", side: "reference", kinds: ["gist", "supplement"] },
  { name: "missing", side: "reference", kinds: ["missing_gist", "missing_supplement"] },
  { name: "extra", side: "answer", kinds: ["extra_gist", "extra_supplement"] },
];
export const KINDS = LAYERS.flatMap((layer) => layer.kinds);
export const layerOf = (kind) => LAYERS.find((layer) => layer.kinds.includes(kind));
export const kindsOf = (side) => LAYERS.filter((layer) => layer.side === side).flatMap((layer) => layer.kinds);
export const CLASS = {
  gist: "bg", supplement: "bs", missing_gist: "mg", missing_supplement: "ms", extra_gist: "eg", extra_supplement: "es",
};

/* The span without surrounding white space, or null; half a character is extended to a whole one. */
export function trimmed(text, start, end) {
  let [from, to] = [Math.min(start, end), Math.max(start, end)];
  if (/^[\udc00-\udfff]/u.test(text.slice(from, from + 1)) && /[\ud800-\udbff]$/u.test(text.slice(from - 1, from))) from -= 1;
  if (/[\ud800-\udbff]$/u.test(text.slice(to - 1, to)) && /^[\udc00-\udfff]/u.test(text.slice(to, to + 1))) to += 1;
  const part = text.slice(from, to);
  from += part.length - part.trimStart().length;
  to -= part.length - part.trimEnd().length;
  return from < to ? { start: from, end: to } : null;
}

const same = (one, other) => one.kind === other.kind && one.start === other.start && one.end === other.end;
export const without = (marks, gone) => marks.filter((mark) => !same(mark, gone));
export const has = (marks, wanted) => marks.some((mark) => same(mark, wanted));

/* Adds a mark. Within a layer nothing overlaps: the new mark merges with those of its kind that it crosses, and cuts
   those of the other kind. */
export function withMark(marks, text, kind, start, end) {
  const layer = layerOf(kind);
  const placed = trimmed(text, start, end);
  if (!placed) return marks;
  const others = [];
  for (const mark of marks) {
    const crosses = mark.start < placed.end && placed.start < mark.end;
    if (!crosses || !layer.kinds.includes(mark.kind)) {
      others.push(mark);
    } else if (mark.kind === kind) {
      placed.start = Math.min(placed.start, mark.start);
      placed.end = Math.max(placed.end, mark.end);
    } else {
      others.push(mark);
    }
  }
  const apart = others.flatMap((mark) => {
    const crosses = mark.start < placed.end && placed.start < mark.end;
    if (!crosses || !layer.kinds.includes(mark.kind)) return [mark];
    const left = mark.start < placed.start ? trimmed(text, mark.start, placed.start) : null;
    const right = mark.end > placed.end ? trimmed(text, placed.end, mark.end) : null;
    return [left, right].filter(Boolean).map((piece) => ({ kind: mark.kind, ...piece }));
  });
  return ordered([...apart, { kind, ...placed }]);
}

export function ordered(marks) {
  return [...marks].sort((a, b) => KINDS.indexOf(layerOf(a.kind).kinds[0]) - KINDS.indexOf(layerOf(b.kind).kinds[0])
    || a.start - b.start || a.end - b.end);
}

/* Changes a mark's class to the other one of its layer. */
export function reclassed(marks, text, mark, kind) {
  return withMark(without(marks, mark), text, kind, mark.start, mark.end);
}

const STEPS = 200; /* undo history */

/* The marks in both texts, with undo; payloads have offsets in code points. */
export class Marks {
  #past = [];
  #future = [];

  /* `points`: the Points of each side; see text.js. */
  constructor(points) {
    Object.assign(this, { points, of: { reference: [], answer: [] } });
  }

  change(side, marks) {
    this.#past.push(this.of);
    if (this.#past.length > STEPS) this.#past.shift();
    this.#future = [];
    this.of = { ...this.of, [side]: marks };
  }

  /* Undo and redo return whether there was a step. */
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

  /* Replaces everything and clears the history; spans outside the texts are dropped. */
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

/* Marks as spans to paint. */
export const painted = (marks) => marks.map((mark) => ({
  start: mark.start, end: mark.end, class: CLASS[mark.kind], depth: layerOf(mark.kind).name === "missing" ? 1 : 0,
}));

/* Shows both texts with these marks, each in a scrolling frame; a text without marks is omitted. */
export function marked(content, { spans = {} }) {
  const views = Object.fromEntries(SIDES.map((side) => [side, new View(content[side], { language: content.language, label: word(side), name: side })]));
  const marks = new Marks({ reference: () => views.reference.points, answer: () => views.answer.points });
  marks.write(spans);
  const frames = SIDES.filter((side) => marks.of[side].length).map((side) => {
    const view = views[side];
    view.layers.marks = painted(marks.of[side]);
    view.repaint();
    return make("div", { class: "frame", tabindex: "0", role: "group", "aria-label": `${word("marks")}: ${word(side)}` },
      make("p", { class: "hint", text: word(side) }), view.element);
  });
  return make("div", { class: "marked" }, ...frames);
}
