/* 0 to 5, with what each grade means in view. */
import { Choices, keysOf } from "../choices.js";
import { word } from "../words.js";

export class Grade {
  constructor({ texts, changed }) {
    const keys = keysOf(texts.grades.map((grade) => grade.value));
    this.choices = new Choices({
      legend: word("your_grade"),
      options: texts.grades.map((grade, at) => ({ ...grade, key: keys[at] })),
      changed,
    });
    this.element = this.choices.element;
    this.keys = [[keys.toSorted(), "keys_grade"]];
  }

  read() {
    return this.choices.value === null ? {} : { grade: this.choices.value };
  }

  write({ grade }) {
    this.choices.value = grade ?? null;
  }

  problem() {
    return this.choices.value === null ? { message: word("choose_grade"), at: this.choices } : null;
  }

  press(key) {
    return this.choices.press(key);
  }

  tell({ grade }) {
    return String(grade);
  }
}
