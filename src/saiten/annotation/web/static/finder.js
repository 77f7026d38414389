/* The search box: marks what it finds in all texts, and walks from one hit to the next. */
import { make, button } from "./make.js";
import { figure, word } from "./words.js";

const MOST = 5_000;

export class Finder {
  #views = [];
  #found = [];
  #at = -1;
  #timer = 0;

  constructor() {
    this.input = make("input", { type: "search", id: "search", autocomplete: "off", spellcheck: "false", enterkeyhint: "search" });
    this.count = make("output", { class: "found", for: "search" });
    this.element = make("div", { class: "finder", role: "search" },
      make("label", { for: "search", class: "unseen", text: word("search") }), this.input, this.count,
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

  /* The texts of another item; what is searched for stays. */
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

  /* In the page itself: a long text is not written anew at every step. */
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
