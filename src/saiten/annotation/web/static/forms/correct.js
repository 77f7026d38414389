/* True or false. */
import { OneChoice } from "./one_choice.js";

export class Correct extends OneChoice {
  constructor({ texts, changed }) {
    const options = texts.grades.map(({ value, text }) => ({ value, text, sign: value ? "○" : "×", key: value ? "1" : "0" }));
    const keys = [["1", "0"], "keys_correct"];
    super({ name: "correct", legend: "your_decision", missing: "choose_decision", options, keys, changed });
  }

  tell({ correct }) {
    return this.options.find((option) => option.value === correct)?.text ?? "";
  }
}
