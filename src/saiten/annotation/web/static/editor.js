/* The item being graded: its texts, its form, and its annotation until it is saved. */
import { button, data, make, word } from "./dom.js";
import { FORMS } from "./forms/all.js";
import { drawTexts } from "./item_texts.js";
import { sendable } from "./text.js";

const LONGEST_REASON = 10_000;

export class Editor {
  #keeping = 0;
  #base = "";

  /* `work`: shared parts of the page; see page.js. */
  constructor(work) {
    this.work = work;
    this.main = work.main;
    this.earlier = new Earlier(work);
    this.clear();
  }

  clear() {
    this.form?.close?.();
    Object.assign(this, { item: null, form: null, reason: null, unclear: null, dirty: false, draftAt: 0, seconds: 0, contexts: [] });
  }

  /* Numbers that must not be fetched again. */
  get open() {
    return this.item && this.item.state !== "done" ? [this.item.number] : [];
  }

  show(item, { edited = false } = {}) {
    const { work, main } = this;
    this.clear();
    this.item = item;
    work.notices.clear("field");
    work.counted.take(item, work.outbox.entries);
    work.bar.say();
    const { heading, texts, named, folding, views } = drawTexts(item.content);
    this.contexts = folding;
    const form = this.#formOf(item, named, edited);
    main.replaceChildren(
      make("div", { class: "asked" }, make("div", { class: "line" },
        make("p", { class: "number", text: word("item_numbered", { number: item.number }) }),
        edited ? make("p", { class: "edits" }, word("edits_earlier"), " ", make("a", { href: "#", text: word("go_on") })) : null,
        work.finder.element), heading),
      texts, form, this.#buttonToForm(form),
    );
    main.dataset.form = data.form;
    main.dataset.number = item.number;
    main.removeAttribute("aria-busy");
    document.title = `${word("item_numbered", { number: item.number })} · ${data.texts.title} · saiten`;
    this.restore();
    work.finder.over(views);
    work.timer.begin(this.seconds);
    scrollTo(0, 0);
    heading.focus({ preventScroll: true });
  }

  #formOf(item, views, edited) {
    const { work } = this;
    const changed = () => this.changed();
    this.reason = make("textarea", { id: "reason", rows: "3", dir: "auto", maxlength: LONGEST_REASON, oninput: changed });
    this.reasonLabel = make("label", { for: "reason" });
    this.unclear = make("input", { type: "checkbox", onchange: changed });
    this.form = new FORMS[data.form]({ item, texts: data.texts, views, changed });
    const prelabel = item.prelabel ? make("div", { class: "beforehand" },
      make("h3", { text: word("beforehand") }), make("p", { text: this.form.describe(item.prelabel), dir: "auto" }),
      FORMS[data.form].marked?.(item.content, item.prelabel),
      button(word("take_over"), () => { this.form.write(item.prelabel); changed(); }, { class: "plain" })) : null;
    return make("form", { class: "rail", id: "form", novalidate: true, "aria-label": data.texts.title, onsubmit: (event) => { event.preventDefault(); work.saving.save(); } },
      this.#about(),
      prelabel, this.earlier.element, this.form.element,
      make("div", { class: "reason", "data-stop": "reason", tabindex: "-1" },
        this.reasonLabel, this.reason),
      make("label", { class: "check" }, this.unclear, make("span", { text: word("unclear") }), make("kbd", { text: "f", "aria-hidden": "true" })),
      make("p", { class: "problem", id: "problem", role: "alert" }),
      make("div", { class: "actions" },
        make("button", { type: "submit", class: "save" }, word("save"), make("kbd", { text: "Ctrl ⏎", "aria-hidden": "true" })),
        edited ? null : withKey(button(word("skip"), () => work.saving.skip(), { class: "plain" }), "s"),
        withKey(button(word("undo"), () => work.undoing.undo(), { class: "plain" }), "u")));
  }

  /* The instructions: open until the first save, then as the annotator left them. */
  #about() {
    const { storage } = this.work;
    const details = make("details", { class: "about", open: storage.get("about") !== "closed" },
      make("summary", { text: data.texts.title, onclick: () => storage.set("about", details.open ? "closed" : "open") }),
      make("p", { text: data.texts.instructions }));
    return details;
  }

  /* After the first save, the instructions have been read. */
  instructed() {
    if (this.work.storage.get("about") === null) this.work.storage.set("about", "closed");
  }

  /* A button that leads to a form out of view below the texts. */
  #buttonToForm(form) {
    const link = button(word("to_form"), () => {
      form.scrollIntoView({ block: "start" });
      (form.querySelector("input, button.save") ?? form).focus({ preventScroll: true });
    }, { class: "to-form", hidden: true });
    new IntersectionObserver(([seen]) => { link.hidden = seen.isIntersecting; }, { rootMargin: "0px 0px -120px" }).observe(form);
    return link;
  }

  /* Fills the form from a draft, else the outbox, else the server, else a similar item. */
  restore() {
    const { item, work } = this;
    const draft = work.drafts.of(item.number);
    const found = draft ?? work.outbox.pending(item.number)?.body ?? item.answered;
    this.form.write(found?.payload ?? {});
    this.reason.value = found?.payload?.reason ?? "";
    this.unclear.checked = Boolean(found?.unclear);
    this.seconds = draft?.seconds ?? 0;
    this.#base = this.#snapshot();
    this.#sayReason();
    this.dirty = draft !== null;
    this.draftAt = draft?.at ?? 0;
    if (draft?.refused) this.problem(word("server_says", { message: draft.refused }), null);
    this.earlier.offer(item, { wanted: !found, form: this.form, taken: () => { this.#base = this.#snapshot(); }, changed: () => this.changed() });
  }

  payload() {
    return { ...this.form.read(), reason: sendable(this.reason.value).trim() };
  }

  #snapshot() {
    return JSON.stringify([this.payload(), this.unclear.checked]);
  }

  /* The body of a save. */
  body() {
    return {
      payload: this.payload(), unclear: this.unclear.checked, seconds: Math.round(this.work.timer.seconds * 10) / 10, fresh: this.item.state !== "done",
    };
  }

  /* Whether a reason is required; in some forms that depends on the rest. */
  get #needsReason() {
    return this.form.needsReason?.() ?? data.texts.reason_required;
  }

  #sayReason() {
    this.reasonLabel.textContent = word(this.#needsReason ? "reason" : "reason_optional");
    this.reason.setAttribute("aria-required", String(this.#needsReason));
  }

  changed() {
    this.problem("");
    this.#sayReason();
    this.dirty = true;
    clearTimeout(this.#keeping);
    this.#keeping = setTimeout(() => this.keepDraft(), 200);
  }

  keepDraft() {
    const { item, work } = this;
    clearTimeout(this.#keeping);
    if (!item || !this.dirty) return;
    /* Equal to what the server has: not a draft. */
    if (this.#snapshot() === this.#base && !work.drafts.of(item.number)) return;
    work.drafts.keep(item.number, { payload: this.payload(), unclear: this.unclear.checked, seconds: work.timer.seconds });
    this.draftAt = work.drafts.of(item.number)?.at ?? 0;
    work.bar.say();
  }

  /* The annotation is in the outbox and no longer a draft. */
  leave() {
    clearTimeout(this.#keeping);
    this.clear();
  }

  problem(message, at) {
    const line = document.getElementById("problem");
    for (const element of this.main.querySelectorAll("[aria-invalid]")) element.removeAttribute("aria-invalid");
    this.main.querySelector(".wrong")?.classList.remove("wrong");
    if (!line || (line.textContent === "" && message === "")) return;
    line.textContent = message;
    if (!message || !at) return;
    at.element.classList.add("wrong");
    if (at.element.matches("textarea")) at.element.setAttribute("aria-invalid", "true");
    at.focus();
  }

  /* What prevents a save, as {message, at}; null if nothing does. */
  fault() {
    const { length } = [...this.reason.value];
    const writing = { element: this.reason, focus: () => this.reason.focus() };
    if (length > LONGEST_REASON) return { message: word("reason_long", { n: length, most: LONGEST_REASON }), at: writing };
    const found = this.form.problem({ unclear: this.unclear.checked });
    if (found) return found;
    return this.#needsReason && !this.reason.value.trim() ? { message: word("give_reason"), at: writing } : null;
  }
}

function withKey(element, key) {
  element.append(" ", make("kbd", { text: key, "aria-hidden": "true" }));
  return element;
}

/* The annotator's own marks on an earlier item with the same text, offered as a start that can be changed. */
class Earlier {
  constructor(work) {
    this.work = work;
    this.element = make("div", { class: "beforehand carried", hidden: true });
  }

  /* Fills an empty form (`wanted`); `taken()` is called before any change. */
  async offer(item, { wanted, form, taken, changed }) {
    this.element.hidden = true;
    if (!wanted || !data.shared) return;
    const { editor } = this.work;
    const found = this.#recent(item) ?? await this.#fetched(item.number);
    if (!found || editor.form !== form || editor.dirty) return;
    form.write(found.payload);
    taken();
    const empty = () => {
      form.write({});
      this.element.hidden = true;
      changed();
    };
    this.element.replaceChildren(make("p", { text: word("carried_over", { number: found.number }) }), button(word("begin_empty"), empty, { class: "plain" }));
    this.element.hidden = false;
  }

  /* From recent saves of this page, which the server may not have yet. */
  #recent(item) {
    const { navigation, outbox, undoing } = this.work;
    const saves = [...undoing.recent, ...outbox.entries].filter((each) => each.kind === "save" && each.number !== item.number);
    const alike = saves.findLast((each) => navigation.left.get(each.number)?.content[data.shared] === item.content[data.shared]);
    const payload = alike && FORMS[data.form].carriedOver(alike.body.payload);
    return payload ? { number: alike.number, payload } : null;
  }

  async #fetched(number) {
    try {
      const { status, body } = await this.work.server.ask(`/api/items/${number}/earlier`);
      return status === 200 && body?.payload ? body : null;
    } catch {
      return null; /* no connection: start empty */
    }
  }
}
