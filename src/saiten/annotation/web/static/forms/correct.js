/* True or false. */
import { Choices } from "../choices.js";
import { word } from "../words.js";

export class Correct {
  constructor({ texts, changed }) {
    this.options = texts.grades.map(({ value, text }) => ({ value, text, sign: value ? "○" : "×", key: value ? "1" : "0" }));
    this.choices = new Choices({ legend: word("your_decision"), options: this.options, changed });
    this.element = this.choices.element;
    this.keys = [[["1", "0"], "keys_correct"]];
  }

  read() {
    return this.choices.value === null ? {} : { correct: this.choices.value };
  }

  write({ correct }) {
    this.choices.value = correct ?? null;
  }

  problem() {
    return this.choices.value === null ? { message: word("choose_decision"), at: this.choices } : null;
  }

  press(key) {
    return this.choices.press(key);
  }

  tell({ correct }) {
    return this.options.find((option) => option.value === correct)?.text ?? "";
  }
}
