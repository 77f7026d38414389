/* 0 to 5, with what each grade means in view. */
import { keysOf } from "../choices.js";
import { OneChoice } from "./one_choice.js";

export class Grade extends OneChoice {
  constructor({ texts, changed }) {
    const signs = keysOf(texts.grades.map((grade) => grade.value));
    const options = texts.grades.map((grade, at) => ({ ...grade, key: signs[at] }));
    const keys = [signs.toSorted(), "keys_grade"];
    super({ name: "grade", legend: "your_grade", missing: "choose_grade", options, keys, changed });
  }

  tell({ grade }) {
    return String(grade);
  }
}
