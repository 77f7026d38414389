/* The texts of an item on the page: each knows its characters, and what is marked in them. */
import { links } from "./links.js";
import { paint } from "./paint.js";
import { excerpt, shown, Points } from "./shown.js";
import { folded, hits } from "./search.js";
import { make, button } from "./make.js";
import { figure, word } from "./words.js";

const LONG = 1_200; /* characters; a longer context is folded at first */
const FEW = 5; /* contexts; of more, all are folded at first */
const BEGINNING = 90; /* characters of it that its heading shows */

export class View {
  #folded = null;
  #painted = false;
  #wanted = false;

  constructor(text, { language, label, name, folding = null, linked = false }) {
    this.original = text;
    this.text = shown(text);
    this.name = name;
    this.label = label;
    this.folding = folding; /* the <details> around it, where there is one */
    this.layers = { links: linked ? links(this.text) : [], marks: [], hits: [] };
    this.element = make("div", { class: "text", dir: "auto", lang: language, "data-text": name });
  }

  get points() {
    this.known ??= new Points(this.text);
    return this.known;
  }

  /* Only what can be seen is written; the rest when it is opened. */
  repaint() {
    if (this.folding && !this.folding.open) {
      this.#wanted = true;
      return;
    }
    paint(this.element, this.text, [...this.layers.links, ...this.layers.marks, ...this.layers.hits]);
    [this.#painted, this.#wanted] = [true, false];
  }

  unfolded() {
    if (!this.#painted || this.#wanted) this.repaint();
  }

  search(query) {
    if (!query) return [];
    this.#folded ??= folded(this.original);
    return hits(this.#folded, query);
  }
}

/* One text under its heading. */
export function panel(view, level = "h2", after = null) {
  view.repaint();
  return make("section", { class: `panel ${view.name}`, tabindex: "-1", "data-stop": view.name, "aria-label": view.label },
    make("header", {}, make(level, { text: view.label }), after),
    view.element);
}

/* Several texts, each of which can be folded. */
export function folds(name, label, texts, numbered, language) {
  const views = [];
  const rows = texts.map((text, index) => {
    const details = make("details", { open: text.length <= LONG && texts.length <= FEW });
    const title = word(numbered, { n: index + 1 });
    const view = new View(text, { language, label: title, name, folding: details, linked: name === "contexts" });
    view.count = make("span", { class: "count" });
    details.append(
      make("summary", {}, make("span", { class: "title", text: title }), make("span", { class: "begins", dir: "auto", lang: language, text: excerpt(text.slice(0, 4 * BEGINNING), BEGINNING) }),
        make("span", { class: "size", text: word("characters", { n: figure(view.points.length) }) }), view.count),
      view.element,
    );
    details.addEventListener("toggle", () => { if (details.open) view.unfolded(); });
    if (details.open) view.repaint();
    views.push(view);
    return details;
  });
  const toggle = button(word("open_all"), () => foldAll(views), { class: "quiet" });
  const say = () => { toggle.textContent = word(views.every((view) => view.folding.open) ? "close_all" : "open_all"); };
  for (const view of views) view.folding.addEventListener("toggle", say);
  say();
  const element = make("section", { class: `panel ${name}`, tabindex: "-1", "data-stop": name, "aria-label": label },
    make("header", {}, make("h2", { text: label }), toggle), ...rows);
  return { element, views };
}

/* Opens all, or closes all where all are open. */
export function foldAll(views) {
  const open = !views.every((view) => view.folding.open);
  for (const view of views) view.folding.open = open;
}
