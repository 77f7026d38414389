/* Several answers compared: ordered or the best picked, and graded on each aspect if asked. */
import { Choices, announce, button, make, nameOf, word } from "../dom.js";

export class Preference {
  constructor({ item, texts, changed }) {
    this.answers = item.content.answers;
    const { answers } = this;
    this.order = texts.pick ? new Pick({ answers, changed }) : new Ranking({ answers, changed });
    this.axes = texts.aspects ? new Axes({ answers, aspects: texts.aspects, changed }) : null;
    this.none = make("input", { type: "checkbox", onchange: changed });
    this.element = make("div", { class: "preference" }, this.axes?.element, this.order.element,
      make("label", { class: "check" }, this.none, make("span", { text: texts.none_good })));
    this.keys = this.order.keys;
  }

  read() {
    return { order: this.order.read(), none_good: this.none.checked, ...(this.axes && { grades: this.axes.read() }) };
  }

  write({ order = [], none_good = false, grades = {} }) {
    this.order.write(order);
    this.none.checked = none_good;
    this.axes?.write(grades);
  }

  problem() {
    return this.axes?.problem() ?? this.order.problem();
  }

  press(key) {
    return this.order.press(key);
  }

  describe({ order = [], grades = {} }) {
    const name = (key) => nameOf(this.answers.findIndex((answer) => answer.key === key));
    return [order.map((group) => group.map(name).join(" = ")).join(" > "), ...(this.axes?.describe(grades) ?? [])].join("; ");
  }
}

/* Answers in order: a place for each, by radio buttons, digits or dragging; places may be shared. */
class Ranking {
  #tie = false;

  constructor({ answers, changed }) {
    Object.assign(this, { answers, changed });
    this.places = new Map(); /* key of the answer → place, from 1 */
    this.inputs = new Map();
    const n = this.answers.length;
    const rows = this.answers.map(({ key }, at) => this.#row(key, at, n));
    this.drops = Array.from({ length: n }, (_, at) => make("li", { class: "place", "data-place": String(at + 1) },
      make("span", { class: "number", text: word("place_numbered", { n: at + 1 }) }), make("span", { class: "chips" })));
    this.pool = make("div", { class: "place pool", "data-place": "" }, make("span", { class: "number", text: word("not_placed") }), make("span", { class: "chips" }));
    this.element = make("div", { class: "ranking" },
      make("fieldset", { class: "ranks" }, make("legend", { text: word("places") }), ...rows),
      make("div", { class: "podium", "aria-hidden": "true" }, make("ol", {}, ...this.drops), this.pool),
      make("p", { class: "hint" }, word("order_hint"), " ", button(word("start_over"), () => this.#clear(), { class: "link" })));
    this.keys = [[["1", "…", String(Math.min(n, 9))], "keys_place"], [["="], "keys_tie"], [["Backspace"], "keys_back"]];
    this.#draw();
  }

  #row(key, at, n) {
    const name = nameOf(at);
    const inputs = Array.from({ length: n }, (_, place) => {
      const input = make("input", { type: "radio", name: `place-${key}`, value: String(place + 1), "aria-label": word("place_numbered", { n: place + 1 }) });
      input.addEventListener("change", () => this.#put(key, place + 1));
      return input;
    });
    this.inputs.set(key, inputs);
    return make("div", { class: "rank", role: "radiogroup", "aria-label": word("place_of", { name }) },
      make("span", { class: "name", "aria-hidden": "true" }, make("kbd", { text: at < 9 ? String(at + 1) : "" }), name),
      ...inputs.map((input, place) => make("label", { class: "pick" }, input, make("span", { "aria-hidden": "true", text: String(place + 1) }))));
  }

  #chip(key) {
    const chip = make("span", { class: "chip", text: nameOf(this.answers.findIndex((answer) => answer.key === key)) });
    /* Pointer events, which work for fingers too. */
    chip.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      chip.setPointerCapture(event.pointerId);
      chip.classList.add("dragged");
      const from = [event.clientX, event.clientY];
      chip.addEventListener("pointermove", (moved) => {
        chip.style.translate = `${moved.clientX - from[0]}px ${moved.clientY - from[1]}px`;
        const over = this.#placeAt(moved, chip);
        for (const place of [...this.drops, this.pool]) place.classList.toggle("over", place === over);
      });
      const ended = (up) => {
        const over = up.type === "pointerup" ? this.#placeAt(up, chip) : null;
        if (over) this.#put(key, over === this.pool ? null : Number(over.dataset.place));
        else this.#draw();
      };
      chip.addEventListener("pointerup", ended, { once: true });
      chip.addEventListener("pointercancel", ended, { once: true });
    });
    return chip;
  }

  #placeAt(event, chip) {
    const under = document.elementsFromPoint(event.clientX, event.clientY).find((element) => element !== chip && element.closest(".podium .place"));
    return under?.closest(".place") ?? null;
  }

  #put(key, place) {
    if (place === null) this.places.delete(key);
    else this.places.set(key, place);
    this.#draw();
    this.changed();
  }

  #clear() {
    this.places.clear();
    this.#tie = false;
    this.#draw();
    this.changed();
  }

  #draw() {
    for (const place of [...this.drops, this.pool]) {
      place.classList.remove("over");
      place.querySelector(".chips").replaceChildren();
    }
    for (const { key } of this.answers) {
      const place = this.places.get(key);
      (place ? this.drops[place - 1] : this.pool).querySelector(".chips").append(this.#chip(key));
      this.inputs.get(key).forEach((input, at) => { input.checked = at + 1 === place; });
    }
    this.pool.hidden = this.places.size === this.answers.length;
    this.element.classList.toggle("tie", this.#tie);
  }

  /* Groups, best first, without empty places. */
  read() {
    const places = [...new Set(this.places.values())].sort((a, b) => a - b);
    return places.map((place) => this.answers.map(({ key }) => key).filter((key) => this.places.get(key) === place));
  }

  write(order) {
    const known = new Set(this.answers.map(({ key }) => key));
    this.places.clear();
    let place = 1;
    for (const group of order) {
      const here = group.filter((key) => known.has(key));
      for (const key of here) this.places.set(key, place);
      place += here.length;
    }
    this.#tie = false;
    this.#draw();
  }

  problem() {
    const open = this.answers.findIndex(({ key }) => !this.places.has(key));
    if (open < 0) return null;
    const [first] = this.inputs.get(this.answers[open].key);
    return { message: word("choose_order"), at: { element: first.closest("fieldset"), focus: () => first.focus() } };
  }

  press(key) {
    if (key === "=") {
      this.#tie = this.places.size > 0 && !this.#tie;
      this.#draw();
      return true;
    }
    if (key === "Backspace") {
      const last = [...this.places.keys()].at(-1);
      if (last === undefined) return false;
      this.#put(last, null);
      return true;
    }
    const at = /^[1-9]$/u.test(key) ? Number(key) - 1 : -1;
    if (at < 0 || at >= this.answers.length) return false;
    const { key: answer } = this.answers[at];
    this.places.delete(answer);
    const taken = [...this.places.values()];
    const place = this.#tie && taken.length ? taken.at(-1) : Math.min(taken.length + 1, this.answers.length);
    this.#tie = false;
    this.#put(answer, place);
    announce(word("is_first", { name: nameOf(at), place }));
    return true;
  }
}

/* The best answer alone. */
class Pick {
  constructor({ answers, changed }) {
    this.answers = answers;
    const options = answers.map(({ key }, at) => ({
      value: key, text: word("answer_named", { name: nameOf(at) }), sign: nameOf(at), key: at < 9 ? String(at + 1) : "",
    }));
    this.choices = new Choices({ legend: word("the_best"), options, changed });
    this.element = this.choices.element;
    this.keys = [[["1", "…", String(Math.min(answers.length, 9))], "keys_pick"]];
  }

  /* A pick is an order of one answer. */
  read() {
    return this.choices.value === null ? [] : [[this.choices.value]];
  }

  write([best = []]) {
    this.choices.value = best.length === 1 ? best[0] : null;
  }

  problem() {
    return this.choices.value === null ? { message: word("choose_pick"), at: this.choices } : null;
  }

  press(key) {
    if (!this.choices.press(key)) return false;
    announce(word("is_best", { name: nameOf(this.answers.findIndex((answer) => answer.key === this.choices.value)) }));
    return true;
  }
}

/* A grade on each aspect for each answer. */
class Axes {
  constructor({ answers, aspects, changed }) {
    Object.assign(this, { answers, aspects });
    this.selects = new Map(answers.map(({ key }) => [key, aspects.map((aspect) => select(aspect, () => { this.#say(); changed(); }))]));
    const groups = answers.map(({ key }, at) => make("fieldset", { class: "axes" },
      make("legend", { text: word("answer_named", { name: nameOf(at) }) }),
      make("div", { class: "rows" }, ...this.selects.get(key).map((each, place) => make("label", { class: "axis" },
        make("span", { text: aspects[place].title, dir: "auto" }), each)))));
    this.count = make("p", { class: "hint" });
    this.element = make("div", { class: "graded", "data-stop": "aspect", tabindex: "-1" },
      make("details", { class: "about" }, make("summary", { text: word("what_aspects_ask") }),
        make("dl", {}, ...aspects.flatMap(({ title, asks }) => [make("dt", { text: title, dir: "auto" }), make("dd", { text: asks, dir: "auto" })]))),
      ...groups, this.count);
    this.#say();
  }

  #say() {
    const every = [...this.selects.values()].flat();
    this.count.textContent = word("grades_of", { n: every.filter((each) => each.value !== "").length, all: every.length });
  }

  read() {
    return Object.fromEntries([...this.selects].map(([key, selects]) => [key, Object.fromEntries(
      selects.flatMap((each, at) => (each.value === "" ? [] : [[this.aspects[at].name, Number(each.value)]])))]));
  }

  write(grades) {
    for (const [key, selects] of this.selects) {
      const of = Object.hasOwn(grades, key) ? grades[key] : {};
      selects.forEach((each, at) => {
        const { name } = this.aspects[at];
        each.value = Object.hasOwn(of, name) ? String(of[name]) : "";
      });
    }
    this.#say();
  }

  problem() {
    for (const [at, { key }] of this.answers.entries()) {
      const open = this.selects.get(key).findIndex((each) => each.value === "");
      if (open < 0) continue;
      const element = this.selects.get(key)[open];
      const message = word("choose_grade_of", { name: this.aspects[open].title, answer: nameOf(at) });
      return { message, at: { element, focus: () => element.focus() } };
    }
    return null;
  }

  describe(grades) {
    return this.aspects.map(({ name, title }) => {
      const parts = this.answers.map(({ key }, at) => `${nameOf(at)} ${grades[key]?.[name] ?? "–"}`);
      return `${title}: ${parts.join(" · ")}`;
    });
  }
}

function select({ grades }, changed) {
  const options = grades.map(({ value, text }) => make("option", { value: String(value), text: text ? `${value}  ${text}` : String(value), dir: "auto" }));
  return make("select", { onchange: changed }, make("option", { value: "", text: "–" }), ...options);
}
