/* The best of several answers, where no order of the others is wanted. */
import { Choices } from "../choices.js";
import { announce } from "../make.js";
import { word } from "../words.js";
import { nameOf } from "./ranking.js";

export class Pick {
  constructor({ answers, changed }) {
    this.answers = answers;
    const options = answers.map(({ key }, at) => ({
      value: key, text: word("answer_named", { name: nameOf(at) }), sign: nameOf(at), key: at < 9 ? String(at + 1) : "",
    }));
    this.choices = new Choices({ legend: word("the_best"), options, changed });
    this.element = this.choices.element;
    this.keys = [[["1", "…", String(Math.min(answers.length, 9))], "keys_pick"]];
  }

  /* The order that a pick is: its one answer. */
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
