/* A grade on each aspect for each of several answers: a select each. */
import { make } from "../make.js";
import { word } from "../words.js";
import { nameOf } from "./ranking.js";

export class Axes {
  constructor({ answers, aspects, changed }) {
    Object.assign(this, { answers, aspects });
    this.selects = new Map(answers.map(({ key }) => [key, aspects.map((aspect) => select(aspect, () => { this.#say(); changed(); }))]));
    const groups = answers.map(({ key }, at) => make("fieldset", { class: "axes" },
      make("legend", { text: word("answer_named", { name: nameOf(at) }) }),
      make("div", { class: "rows" }, ...this.selects.get(key).map((each, place) => make("label", { class: "axis" },
        make("span", { text: aspects[place].title, dir: "auto" }), each)))));
    this.said = make("p", { class: "hint" });
    this.element = make("div", { class: "graded", "data-stop": "aspect", tabindex: "-1" },
      make("details", { class: "about" }, make("summary", { text: word("what_aspects_ask") }),
        make("dl", {}, ...aspects.flatMap(({ title, asks }) => [make("dt", { text: title, dir: "auto" }), make("dd", { text: asks, dir: "auto" })]))),
      ...groups, this.said);
    this.#say();
  }

  #say() {
    const every = [...this.selects.values()].flat();
    this.said.textContent = word("grades_of", { n: every.filter((each) => each.value !== "").length, all: every.length });
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

  tell(grades) {
    return this.aspects.map(({ name, title }) => {
      const said = this.answers.map(({ key }, at) => `${nameOf(at)} ${grades[key]?.[name] ?? "–"}`);
      return `${title}: ${said.join(" · ")}`;
    });
  }
}

function select({ grades }, changed) {
  const options = grades.map(({ value, text }) => make("option", { value: String(value), text: text ? `${value}  ${text}` : String(value), dir: "auto" }));
  return make("select", { onchange: changed }, make("option", { value: "", text: "–" }), ...options);
}
