/* What somebody marked, in colour: to be looked at before it is taken over. */
import { make } from "../make.js";
import { CLASS, layerOf } from "../spans.js";
import { View } from "../views.js";
import { word } from "../words.js";
import { Marks } from "./marks.js";

const SIDES = ["reference", "answer"];

/* Marks of one text as spans for paint.js. */
export const painted = (marks) => marks.map((mark) => ({
  start: mark.start, end: mark.end, class: CLASS[mark.kind], depth: layerOf(mark.kind).name === "missing" ? 1 : 0,
}));

/* Both texts with these marks, each in a frame that scrolls; a text without a mark is left out. */
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
