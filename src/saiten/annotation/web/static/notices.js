/* What is to be told above the texts: one notice a topic, each with at most one thing to do. */
import { make, button } from "./make.js";
import { data, word } from "./words.js";

/* Why nothing can be sent; `waiting`: how much is kept here meanwhile. */
export function closedText(why, waiting) {
  if (why === "other") return word("other_person");
  const sentences = [word("closed_title"), word("closed"), waiting ? word("closed_waiting", { n: waiting }) : ""];
  return sentences.filter(Boolean).join(data.language === "ja" ? "" : " ");
}

export class Notices {
  #shown = new Map();

  constructor(place) {
    this.place = place;
  }

  tell(topic, text, { urgent = false, action = null, seconds = 0 } = {}) {
    const before = this.#shown.get(topic);
    if (before?.text === text) return;
    this.clear(topic);
    const notice = make("div", { class: urgent ? "notice urgent" : "notice", role: urgent ? "alert" : "status" },
      make("p", { text, dir: "auto" }),
      action ? button(action[0], () => { this.clear(topic); action[1](); }, { class: "plain" }) : null,
      button("×", () => this.clear(topic), { class: "quiet square", "aria-label": word("close") }));
    this.#shown.set(topic, { notice, text, timer: seconds ? setTimeout(() => this.clear(topic), seconds * 1_000) : 0 });
    this.place.append(notice);
  }

  clear(topic) {
    const shown = this.#shown.get(topic);
    if (!shown) return;
    clearTimeout(shown.timer);
    shown.notice.remove();
    this.#shown.delete(topic);
  }
}
