/* One of several options: what the forms that ask for a single value share. */
import { Choices } from "../choices.js";
import { word } from "../words.js";

export class OneChoice {
  /** `name`: of the value in what is saved; `legend` and `missing`: keys of the words above it and of what it lacks. */
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
