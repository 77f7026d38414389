/* The forms by name. Each has: element, keys, read, write, problem, press, describe, and optionally close,
   marked, carriedOver, needsReason. */
import { Choices, keysOf, make, word } from "../dom.js";
import { Approve } from "./approve.js";
import { Gist } from "./gist.js";
import { Preference } from "./preference.js";

/* One of several options. */
class OneChoice {
  /* `name`: field of the payload; `legend` and `missing`: keys of the words above it and for a missing choice. */
  constructor({ name, legend, missing, options, keys, changed }) {
    this.name = name;
    this.missing = missing;
    this.options = options;
    this.choices = new Choices({ legend: word(legend), options, changed });
    this.element = this.choices.element;
    this.keys = [keys];
  }

  read() {
    return this.choices.value === null ? {} : { [this.name]: this.choices.value };
  }

  write(value) {
    this.choices.value = value[this.name] ?? null;
  }

  problem() {
    return this.choices.value === null ? { message: word(this.missing), at: this.choices } : null;
  }

  press(key) {
    return this.choices.press(key);
  }
}

/* A grade. */
class Grade extends OneChoice {
  constructor({ texts, changed }) {
    const signs = keysOf(texts.grades.map((grade) => grade.value));
    const options = texts.grades.map((grade, at) => ({ ...grade, key: signs[at] }));
    const keys = [signs.toSorted(), "keys_grade"];
    super({ name: "grade", legend: "your_grade", missing: "choose_grade", options, keys, changed });
  }

  describe({ grade }) {
    return String(grade);
  }
}

/* Correct or not. */
class Correct extends OneChoice {
  constructor({ texts, changed }) {
    const options = texts.grades.map(({ value, text }) => ({ value, text, sign: value ? "○" : "×", key: value ? "1" : "0" }));
    const keys = [["1", "0"], "keys_correct"];
    super({ name: "correct", legend: "your_decision", missing: "choose_decision", options, keys, changed });
  }

  describe({ correct }) {
    return this.options.find((option) => option.value === correct)?.text ?? "";
  }
}

/* A grade on each aspect of a rubric. */
class Aspects {
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
    this.count = make("p", { class: "hint" });
    this.element = make("div", { class: "aspects" }, ...this.groups.map((group) => group.element), this.count);
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
    this.count.textContent = word("graded_of", { n, all: this.groups.length });
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

  describe({ grades = {} }) {
    return this.aspects.map(({ name, title }) => `${title}: ${grades[name] ?? "–"}`).join(", ");
  }
}

export const FORMS = { grade: Grade, correct: Correct, aspects: Aspects, gist: Gist, preference: Preference, approve: Approve };
