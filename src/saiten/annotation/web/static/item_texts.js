/* The texts of an item: question, answers, and next to them reference and contexts, or the passages behind a question;
   with the search box. */
import { button, figure, make, nameOf, word } from "./dom.js";
import { Points, excerpt, folded, hits, links, paint, shown } from "./text.js";

/* Returns {heading, texts, named, folding, views}: two elements, views by name, foldable views, all views. */
export function drawTexts(content) {
  const { language } = content;
  const texts = make("div", { class: content.answers ? "texts several" : "texts" });
  const sources = make("div", { class: "sources" });
  const named = {};
  const views = [];
  const folding = [];
  const draw = (place, name, text, label, after = null) => {
    const view = new View(text, { language, label, name });
    views.push(view);
    place.append(panel(view, "h2", after));
    return view;
  };
  if (content.answers) {
    const answers = make("div", { class: "answers" });
    content.answers.forEach(({ key, text }, at) => {
      /* Ids are present for admins only. */
      const id = content.ids ? make("small", { class: "id", dir: "auto", text: content.ids[key] }) : null;
      const digit = at < 9 ? make("kbd", { text: String(at + 1), "aria-hidden": "true" }) : null;
      draw(answers, "answer", text, word("answer_named", { name: nameOf(at) }), id ?? digit);
    });
    texts.append(answers);
  } else if (content.answer !== undefined) {
    named.answer = draw(texts, "answer", content.answer, word("answer"));
    reachable(named.answer);
  }
  if (content.history?.length) {
    const said = content.history.map(([asked, answered]) =>
      [[word("user"), asked], [word("assistant"), answered]].filter(([, text]) => text).map(([who, text]) => `${who}: ${text}`).join("\n\n"));
    const { element, views: folded } = folds("history", word("history"), said, "history_numbered", language);
    folding.push(...folded);
    sources.append(element);
  }
  /* The form has the reference of a question that is to be approved. */
  if (content.reference !== undefined && !content.passages) named.reference = draw(sources, "reference", content.reference, word("reference"));
  for (const [name, numbered] of [["alternatives", "alternative_numbered"], ["contexts", "context_numbered"]]) {
    if (!content[name]?.length) continue;
    const { element, views: folded } = folds(name, word(name), content[name], numbered, language);
    folding.push(...folded);
    sources.append(element);
  }
  if (content.passages?.length) {
    const { element, views: folded } = passages(content);
    folding.push(...folded);
    sources.append(element);
  }
  if (sources.childElementCount) texts.append(sources);
  const question = new View(content.question, { language, label: word("question"), name: "question" });
  question.repaint();
  const heading = make("h1", { class: "question", tabindex: "-1", id: "question" },
    make("span", { class: "visually-hidden", text: `${word("question")}: ` }), question.element);
  return { heading, texts, named, folding, views: [...views, ...folding, question] };
}

/* The passages behind a question, with the quotes that the reference rests on marked. */
function passages({ kind, language, passages: found }) {
  const label = word(kind === "unanswerable" ? "passages_near" : "passages");
  const { element, views } = folds("passages", label, found.map(({ text }) => text), "passage_numbered", language, found.map(({ source }) => shown(source)));
  views.forEach((view, at) => {
    view.layers.marks = found[at].quotes.map(([start, end]) => ({ start: view.points.toUnits(start), end: view.points.toUnits(end), class: "quote" }));
    view.repaint();
  });
  if (found.some(({ quotes }) => quotes.length)) element.firstChild.after(make("p", { class: "hint quoted" }, make("mark", { class: "quote", text: word("quoted") })));
  return { element, views };
}

/* Makes a scrolling text reachable by Tab. */
function reachable(view) {
  const panel = view.element.parentElement;
  new ResizeObserver(() => { panel.tabIndex = panel.scrollHeight > panel.clientHeight ? 0 : -1; }).observe(panel);
}

const LONG = 1_200; /* characters; longer contexts start folded */
const FEW = 5; /* contexts; of more, all start folded */
const BEGINNING = 90; /* characters of a text shown in its heading */

/* One text, its characters, and the marks in it. */
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

  /* Paints only what is visible; folded texts are painted when they are opened. */
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

/* A text with its heading. */
export function panel(view, level = "h2", after = null) {
  view.repaint();
  return make("section", { class: `panel ${view.name}`, tabindex: "-1", "data-stop": view.name, "aria-label": view.label },
    make("header", {}, make(level, { text: view.label }), after),
    view.element);
}

/* Several foldable texts; `sources`: where each is from, "" if unknown. */
export function folds(name, label, texts, numbered, language, sources = []) {
  const views = [];
  const rows = texts.map((text, index) => {
    const details = make("details", { open: text.length <= LONG && texts.length <= FEW });
    const title = word(numbered, { n: index + 1 });
    const view = new View(text, { language, label: title, name, folding: details, linked: ["contexts", "passages"].includes(name) });
    view.count = make("span", { class: "count" });
    details.append(
      make("summary", {}, make("span", { class: "title", text: title }),
        sources[index] ? make("span", { class: "source", dir: "auto", text: sources[index] }) : null, make("span", { class: "begins", dir: "auto", lang: language, text: excerpt(text.slice(0, 4 * BEGINNING), BEGINNING) }),
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

/* Opens all; closes all if all are open. */
export function foldAll(views) {
  const open = !views.every((view) => view.folding.open);
  for (const view of views) view.folding.open = open;
}

const MOST = 5_000;

/* The search box: marks hits in all texts, and steps through them. */
export class Finder {
  #views = [];
  #found = [];
  #at = -1;
  #timer = 0;

  constructor() {
    this.input = make("input", { type: "search", id: "search", autocomplete: "off", spellcheck: "false", enterkeyhint: "search" });
    this.count = make("output", { class: "found", for: "search" });
    this.element = make("div", { class: "finder", role: "search" },
      make("label", { for: "search", class: "visually-hidden", text: word("search") }), this.input, this.count,
      button("↑", () => this.go(-1), { class: "quiet square", "aria-label": word("search_previous"), title: word("search_previous") }),
      button("↓", () => this.go(1), { class: "quiet square", "aria-label": word("search_next"), title: word("search_next") }));
    this.input.placeholder = word("search");
    this.input.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.look(), 120);
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (this.#timer) this.look();
      this.go(event.shiftKey ? -1 : 1);
    });
  }

  /* Searches the texts of another item; the query stays. */
  over(views) {
    this.#views = views;
    this.#found = [];
    this.look();
  }

  look() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const query = this.input.value.trim();
    this.#found = [];
    this.#at = -1;
    for (const view of this.#views) {
      const had = view.layers.hits.length;
      const found = view.search(query);
      const room = MOST - this.#found.length;
      view.layers.hits = found.slice(0, room).map(([start, end], hit) => ({ start, end, class: "hit", hit, depth: 9 }));
      this.#found.push(...view.layers.hits.map((hit) => [view, hit]));
      if (had || view.layers.hits.length) view.repaint();
      if (view.count) view.count.textContent = found.length ? word("hits_here", { n: figure(found.length) }) : "";
    }
    this.#say(query);
  }

  go(step) {
    if (!this.#found.length) return;
    const before = this.#found[this.#at];
    this.#at = (this.#at + step + this.#found.length + (this.#at < 0 && step < 0 ? 1 : 0)) % this.#found.length;
    const [view, hit] = this.#found[this.#at];
    if (view.folding) view.folding.open = true;
    view.unfolded();
    if (before) this.#lift(...before, false);
    this.#lift(view, hit, true);
    view.element.querySelector(".current")?.scrollIntoView({ block: "center" });
    this.#say(this.input.value.trim());
  }

  /* Changes the DOM in place, so that a long text is not repainted at each step. */
  #lift(view, hit, current) {
    hit.class = current ? "hit current" : "hit";
    for (const mark of view.element.querySelectorAll(`mark[data-hit="${hit.hit}"]`)) mark.classList.toggle("current", current);
  }

  #say(query) {
    const n = this.#found.length;
    const key = n >= MOST ? "search_hits_most" : "search_hits";
    this.count.textContent = !query ? "" : n ? word(key, { n: figure(n), at: this.#at < 0 ? "–" : figure(this.#at + 1) }) : word("search_none");
  }
}
