/* Each aspect of a rubric: what it asks, and what each of its grades means. */
import { Choices, keysOf } from "../choices.js";
import { make } from "../make.js";
import { word } from "../words.js";

export class Aspects {
  constructor({ texts, changed }) {
    this.aspects = texts.aspects;
    this.groups = this.aspects.map((aspect, at) => {
      const keys = keysOf(aspect.grades.map((grade) => grade.value));
      const group = new Choices({
        legend: word("aspect_numbered", { n: at + 1, name: aspect.title }),
        asks: aspect.asks,
        options: aspect.grades.map((grade, place) => ({
          ...grade, key: keys[place], sign: keys[place] === String(grade.value) ? undefined : String(grade.value),
        })),
        changed: () => {
          this.#say();
          changed();
        },
        wide: aspect.grades.every((grade) => !grade.text),
      });
      group.element.dataset.stop = "aspect";
      group.element.tabIndex = -1;
      group.element.addEventListener("focusin", () => { this.#active(at); });
      return group;
    });
    this.said = make("p", { class: "hint" });
    this.element = make("div", { class: "aspects" }, ...this.groups.map((group) => group.element), this.said);
    this.at = 0;
    this.#say();
    this.keys = [[["0", "…", "9"], "keys_aspect"]];
  }

  #active(at) {
    this.at = at;
    this.groups.forEach((group, place) => group.element.classList.toggle("active", place === at));
  }

  #say() {
    const n = this.groups.filter((group) => group.value !== null).length;
    this.said.textContent = word("graded_of", { n, all: this.groups.length });
  }

  read() {
    const grades = this.aspects.map((aspect, at) => [aspect.name, this.groups[at].value]);
    return { grades: Object.fromEntries(grades.filter(([, grade]) => grade !== null)) };
  }

  write({ grades = {} }) {
    this.groups.forEach((group, at) => {
      const { name } = this.aspects[at];
      group.value = Object.hasOwn(grades, name) ? grades[name] : null;
    });
    const open = this.groups.findIndex((group) => group.value === null);
    this.#active(Math.max(open, 0));
    this.#say();
  }

  problem() {
    const open = this.groups.findIndex((group) => group.value === null);
    return open < 0 ? null : { message: word("choose_aspect", { name: this.aspects[open].title }), at: this.groups[open] };
  }

  press(key) {
    if (!this.groups[this.at].press(key)) return false;
    const next = this.at + 1;
    if (next < this.groups.length) {
      this.#active(next);
      this.groups[next].element.focus({ preventScroll: true });
      this.groups[next].element.scrollIntoView({ block: "nearest" });
    }
    return true;
  }

  tell({ grades = {} }) {
    return this.aspects.map(({ name, title }) => `${title}: ${grades[name] ?? "–"}`).join(", ");
  }
}
