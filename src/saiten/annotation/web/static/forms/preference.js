/* Several answers compared: put into order or the best one picked, and graded on each aspect where that is asked, too. */
import { make } from "../make.js";
import { Axes } from "./axes.js";
import { Pick } from "./pick.js";
import { Ranking, nameOf } from "./ranking.js";

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

  tell({ order = [], grades = {} }) {
    const name = (key) => nameOf(this.answers.findIndex((answer) => answer.key === key));
    return [order.map((group) => group.map(name).join(" = ")).join(" > "), ...(this.axes?.tell(grades) ?? [])].join("; ");
  }
}
