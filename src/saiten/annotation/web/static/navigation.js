/* Chooses the item to show: the next one, prefetched, or an earlier one by number; or a message if there is none. */
import { button, data, make, word } from "./dom.js";
import { Unreachable } from "./outbox.js";
import { closedText } from "./status.js";

const AHEAD = 3;
const MOST_OPEN = 5; /* the server's limit per person */

/* Prefetches the next items, so that a lost connection does not stop the work at once. */
export class Prefetch {
  #fetching = null;

  /* `taken()`: numbers to exclude (the shown item's, those in the outbox). */
  constructor({ server, taken }) {
    Object.assign(this, { server, taken, ready: [], able: true });
  }

  forget(number) {
    this.ready = this.ready.filter((item) => item.number !== number);
  }

  /* Returns the next item, or null if none is left; throws Unreachable, or {closed: true}. */
  async next() {
    const taken = this.taken();
    this.ready = this.ready.filter((item) => !taken.includes(item.number));
    if (!this.ready.length) await this.#more(1);
    return this.ready.shift() ?? null;
  }

  /* Fetches a few items; failures are ignored, since next() asks again. */
  async fill() {
    try {
      await this.#more(AHEAD);
    } catch { /* later */ }
  }

  async #more(wanted) {
    while (this.#fetching) await this.#fetching.catch(() => {});
    this.#fetching = this.#fetch(wanted);
    try {
      await this.#fetching;
    } finally {
      this.#fetching = null;
    }
  }

  async #fetch(wanted) {
    while (this.ready.length < wanted && (this.able || wanted === 1)) {
      const taken = [...new Set([...this.taken(), ...this.ready.map((item) => item.number)])];
      if (taken.length > MOST_OPEN) throw new Unreachable("too many wait to be sent");
      const query = taken.length ? `?except=${taken.join(",")}` : "";
      const { status, body } = await this.server.ask(`/api/items/next${query}`);
      if (status === 204) return;
      if (status === 401 || status === 403) throw Object.assign(new Error("closed"), { closed: true });
      if (status !== 200 || typeof body?.number !== "number") throw new Unreachable(`status ${status}`);
      if (taken.includes(body.number)) {
        this.able = false; /* the server gives one at a time */
        if (wanted === 1) throw new Unreachable("the next item comes when the last is stored");
        return;
      }
      this.ready.push(body);
    }
  }
}

const RECENT = 20;

export class Navigation {
  #opening = 0; /* the latest request; replies to earlier ones are not shown */
  #retrying = 0;

  constructor(work) {
    this.work = work;
    this.left = new Map(); /* the items this page showed last, by number */
  }

  start() {
    this.work.undoing.remind();
    const number = Number(location.hash.slice(1));
    if (Number.isInteger(number) && number > 0) this.openNumber(number);
    else this.next();
  }

  async next() {
    const { prefetch, editor, notices } = this.work;
    const mine = this.#begin();
    if (!this.#here()) return;
    try {
      const item = await prefetch.next();
      if (mine !== this.#opening) {
        if (item) prefetch.ready.unshift(item);
        return;
      }
      notices.clear("next");
      if (item) {
        this.#remember(item);
        editor.show(item);
      } else {
        this.#finished();
      }
      prefetch.fill();
    } catch (error) {
      if (mine === this.#opening) this.#cannot(error, () => this.next());
    }
  }

  /* Without a connection, an item shown recently is still available. */
  async openNumber(number) {
    const { prefetch, editor, notices, server } = this.work;
    editor.keepDraft();
    /* The current item comes back afterwards. */
    if (editor.open.length && editor.item.number !== number) prefetch.ready.unshift(editor.item);
    const mine = this.#begin();
    if (!this.#here()) return;
    try {
      const { status, body } = await server.ask(`/api/items/${number}`);
      if (mine !== this.#opening) return;
      if (status === 404) {
        notices.show("next", word("no_such_item", { number }), { seconds: 8 });
        history.replaceState(null, "", location.pathname);
        this.next();
        return;
      }
      if (status === 401 || status === 403) throw Object.assign(new Error("closed"), { closed: true });
      if (status !== 200 || typeof body?.number !== "number") throw new Unreachable(`status ${status}`);
      notices.clear("next");
      prefetch.forget(number);
      this.#remember(body);
      editor.show(body, { edited: body.state === "done" });
    } catch (error) {
      if (mine !== this.#opening) return;
      if (this.left.has(number) && !error.closed) {
        prefetch.forget(number);
        editor.show(this.left.get(number));
      } else {
        this.#cannot(error, () => this.openNumber(number));
      }
    }
  }

  #remember(item) {
    this.left.delete(item.number);
    this.left.set(item.number, item);
    if (this.left.size > RECENT) this.left.delete(this.left.keys().next().value);
  }

  #begin() {
    const { editor, main, timer } = this.work;
    this.#opening += 1;
    editor.clear();
    timer.stop();
    main.setAttribute("aria-busy", "true");
    main.replaceChildren(make("p", { class: "loading", text: word("loading") }));
    return this.#opening;
  }

  /* Returns whether this browser is still this person's, and says so if not. */
  #here() {
    if (isHere()) return true;
    this.closed("other");
    return false;
  }

  async #cannot(error, again) {
    const { main, notices, server } = this.work;
    clearTimeout(this.#retrying);
    if (error.closed) {
      try {
        const why = await server.renew();
        if (why === "renewed") again();
        else this.closed(why);
        return;
      } catch { /* no connection after all */ }
    } else if (!(error instanceof Unreachable)) {
      notices.show("next", word("broken_answer"), { urgent: true });
      throw error;
    }
    const mine = this.#opening;
    const retry = () => { if (mine === this.#opening) again(); };
    main.replaceChildren(make("p", { class: "loading", text: word("no_item_offline") }), button(word("try_now"), retry, { class: "plain" }));
    this.#retrying = setTimeout(retry, 3_000 + Math.random() * 2_000);
    window.addEventListener("online", retry, { once: true });
  }

  /* The session has ended, or somebody else has logged in in this browser. */
  closed(why) {
    const { editor, main, notices, outbox } = this.work;
    const other = why === "other";
    const again = () => { outbox.hurry(); if (!editor.item) this.start(); };
    notices.show(other ? "other" : "closed", closedText(why, outbox.entries.length), { urgent: true, action: other ? null : [word("try_now"), again] });
    if (main.querySelector(".loading")) {
      main.removeAttribute("aria-busy");
      main.replaceChildren();
    }
  }

  #finished() {
    const { main, outbox, undoing } = this.work;
    const waiting = outbox.entries.length;
    main.removeAttribute("aria-busy");
    document.title = `${word("all_done_title")} · saiten`;
    const heading = make("h1", { tabindex: "-1", text: word("all_done_title") });
    main.replaceChildren(make("section", { class: "finished" }, heading, make("p", { text: word("all_done") }),
      make("p", { class: "still", text: waiting ? word("all_done_waiting", { n: waiting }) : "" }),
      make("p", { text: word("all_done_others") }), make("p", { text: word("all_done_edit") }),
      make("p", { class: "actions" }, make("a", { class: "button", href: "/mine", text: word("mine") }),
        button(word("look_again"), () => this.next(), { class: "plain" }), button(word("undo"), () => undoing.undo(), { class: "plain" }))));
    heading.focus();
  }
}

/* Whether the latest page of this server in this browser is this person's. */
export function isHere() {
  try {
    return (localStorage.getItem("saiten:here") ?? data.person.key) === data.person.key;
  } catch {
    return true;
  }
}
