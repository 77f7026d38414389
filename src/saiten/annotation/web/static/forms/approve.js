/* A question of a test set: approved, edited or rejected. */
import { drawChanges } from "../diff.js";
import { Choices, announce, button, make, word } from "../dom.js";
import { sendable } from "../text.js";

const NAMES = ["question", "reference"];
const LONGEST = 50_000; /* characters of an edited text */

/* A text as a text field keeps it. */
const plain = (text) => text.replace(/\r\n?/gu, "\n").trim();

export class Approve {
  #before = null; /* the choice before typing made it an edit */

  constructor({ item: { content }, texts, changed }) {
    this.texts = texts;
    const options = texts.choices.map(({ value, means }, at) => ({ value, text: means, key: String(at + 1) }));
    this.choices = new Choices({ legend: word("your_decision"), options, changed: () => { this.#chosen(); changed(); } });
    this.choices.element.dataset.stop = "decision";
    this.choices.element.tabIndex = -1;
    this.fields = Object.fromEntries(NAMES.map((name) => [name, new EditedText(name, content, () => { this.#typed(); changed(); })]));
    this.element = make("div", { class: "approve" }, kindOf(content, texts),
      ...NAMES.map((name) => this.fields[name].element), this.choices.element);
    this.keys = [[["1", "2", "3"], "keys_approve"], [["q"], "keys_question"], [["e"], "keys_edit_reference"]];
  }

  get #edited() {
    return NAMES.some((name) => this.fields[name].edited);
  }

  /* A changed text is an edit, unless the question is rejected anyway. */
  #typed() {
    const { value } = this.choices;
    if (this.#edited && value !== "edit" && value !== "reject") {
      this.#before = value;
      this.choices.value = "edit";
      announce(word("now_an_edit"));
    } else if (!this.#edited && value === "edit") {
      this.choices.value = this.#before;
    }
  }

  #chosen() {
    this.#before = null;
    if (this.choices.value !== "approve" || !this.#edited) return;
    this.choices.value = "edit";
    announce(word("now_an_edit"));
  }

  read() {
    const decision = this.choices.value === null ? {} : { decision: this.choices.value };
    return { ...decision, ...Object.fromEntries(NAMES.map((name) => [name, this.fields[name].value])) };
  }

  write(payload) {
    this.#before = null;
    for (const name of NAMES) this.fields[name].value = payload[name];
    this.choices.value = payload.decision ?? null;
  }

  problem() {
    const { value } = this.choices;
    if (value === null) return { message: word("choose_approval"), at: this.choices };
    if (value === "reject") return null;
    const empty = NAMES.find((name) => !this.fields[name].value.trim());
    if (empty) return { message: word("text_empty", { name: word(empty) }), at: this.fields[empty].place };
    return value === "edit" && !this.#edited ? { message: word("nothing_edited"), at: this.fields.question.place } : null;
  }

  /* Whether saving takes a reason. */
  needsReason() {
    return this.texts.reason_required && this.choices.value === "reject";
  }

  press(key) {
    const name = { q: "question", e: "reference", 2: "question" }[key];
    if (!this.choices.press(key) && !name) return false;
    if (name) this.fields[name].place.focus();
    return true;
  }

  describe({ decision }) {
    return this.texts.choices.find(({ value }) => value === decision)?.text ?? "";
  }

  /* Shows both texts with what a payload changes in them; nothing of a rejection. */
  static marked(content, payload) {
    if (payload.decision === "reject") return null;
    return make("div", { class: "marked" }, ...NAMES.map((name) => {
      const edited = plain(payload[name]) !== plain(content[name]);
      return make("div", {}, make("p", { class: "hint", text: edited ? word(name) : word("unchanged_text", { name: word(name) }) }),
        edited ? make("p", { class: "changes", dir: "auto", lang: content.language }, ...drawChanges(plain(content[name]), plain(payload[name]), content.language)) : null);
    }));
  }
}

/* The kind of question and what it requires. */
function kindOf({ kind }, { kinds }) {
  const found = kinds[kind];
  return found ? make("p", { class: "asked-kind" }, make("strong", { text: found.title }), ` ${found.means}`) : null;
}

/* A text that can be edited, with its changes below. */
class EditedText {
  constructor(name, content, changed) {
    this.original = content[name];
    this.language = content.language;
    const id = `edited-${name}`;
    this.area = make("textarea", { id, rows: name === "question" ? "2" : "4", dir: "auto", lang: this.language, maxlength: LONGEST, oninput: () => { this.#say(); changed(); } });
    this.changes = make("p", { class: "changes", dir: "auto", lang: this.language });
    const restore = button(word("restore_text"), () => {
      this.value = this.original;
      changed();
      this.area.focus();
    }, { class: "quiet", "aria-label": `${word("restore_text")}: ${word(name)}` });
    this.changed = make("div", { class: "edits", hidden: true }, make("p", { class: "hint", text: word("changed_text") }), this.changes, restore);
    this.element = make("div", { class: "edited", "data-stop": name, tabindex: "-1" },
      make("label", { for: id }, word(name), make("kbd", { text: { question: "q", reference: "e" }[name], "aria-hidden": "true" })), this.area, this.changed);
    this.place = { element: this.area, focus: () => this.area.focus() };
  }

  get edited() {
    return plain(this.value) !== plain(this.original);
  }

  get value() {
    return sendable(this.area.value);
  }

  set value(text) {
    this.area.value = text ?? this.original;
    this.#say();
  }

  #say() {
    const { edited } = this;
    this.changed.hidden = !edited;
    this.changes.replaceChildren(...(edited ? drawChanges(plain(this.original), plain(this.value), this.language) : []));
  }
}
