/* Which item comes: the next one, or one of one's own by its number; and what is said where none can come. */
import { make, button } from "./make.js";
import { closedText } from "./notices.js";
import { Unreachable } from "./server.js";
import { data, word } from "./words.js";

const RECENT = 20;

export class Going {
  #opening = 0; /* the latest wish: what comes for an earlier one is not shown */
  #retrying = 0;

  constructor(work) {
    this.work = work;
    this.left = new Map(); /* the latest items that were shown by this page, by number */
  }

  start() {
    this.work.undoing.remind();
    const number = Number(location.hash.slice(1));
    if (Number.isInteger(number) && number > 0) this.openNumber(number);
    else this.next();
  }

  async next() {
    const { ahead, desk, notices } = this.work;
    const mine = this.#begin();
    if (!this.#here()) return;
    try {
      const item = await ahead.next();
      if (mine !== this.#opening) {
        if (item) ahead.ready.unshift(item); /* it comes afterwards */
        return;
      }
      notices.clear("next");
      if (item) {
        this.#remember(item);
        desk.show(item);
      } else {
        this.#finished();
      }
      ahead.fill();
    } catch (error) {
      if (mine === this.#opening) this.#cannot(error, () => this.next());
    }
  }

  /* Without a connection an item that was just left is still known. */
  async openNumber(number) {
    const { ahead, desk, notices, server } = this.work;
    desk.keepDraft();
    /* What is left for it comes back afterwards. */
    if (desk.open.length && desk.item.number !== number) ahead.ready.unshift(desk.item);
    const mine = this.#begin();
    if (!this.#here()) return;
    try {
      const { status, body } = await server.ask(`/api/items/${number}`);
      if (mine !== this.#opening) return;
      if (status === 404) {
        notices.tell("next", word("no_such_item", { number }), { seconds: 8 });
        history.replaceState(null, "", location.pathname);
        this.next();
        return;
      }
      if (status === 401 || status === 403) throw Object.assign(new Error("closed"), { closed: true });
      if (status !== 200 || typeof body?.number !== "number") throw new Unreachable(`status ${status}`);
      notices.clear("next");
      ahead.forget(number);
      this.#remember(body);
      desk.show(body, { edited: body.state === "done" });
    } catch (error) {
      if (mine !== this.#opening) return;
      if (this.left.has(number) && !error.closed) {
        ahead.forget(number);
        desk.show(this.left.get(number));
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
    const { desk, main, timer } = this.work;
    this.#opening += 1;
    desk.clear();
    timer.stop();
    main.setAttribute("aria-busy", "true");
    main.replaceChildren(make("p", { class: "loading", text: word("loading") }));
    return this.#opening;
  }

  /* Whether this browser is still this person's; else it is told. */
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
      notices.tell("next", word("broken_answer"), { urgent: true });
      throw error;
    }
    const mine = this.#opening;
    const retry = () => { if (mine === this.#opening) again(); };
    main.replaceChildren(make("p", { class: "loading", text: word("no_item_offline") }), button(word("try_now"), retry, { class: "plain" }));
    this.#retrying = setTimeout(retry, 3_000 + Math.random() * 2_000);
    window.addEventListener("online", retry, { once: true });
  }

  /* The session is over, or somebody else's has begun in this browser. */
  closed(why) {
    const { desk, main, notices, outbox } = this.work;
    const other = why === "other";
    const again = () => { outbox.hurry(); if (!desk.item) this.start(); };
    notices.tell(other ? "other" : "closed", closedText(why, outbox.entries.length), { urgent: true, action: other ? null : [word("try_now"), again] });
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

/* Whether the latest page of this server that was opened in this browser was this person's. */
export function isHere() {
  try {
    return (localStorage.getItem("saiten:here") ?? data.person.key) === data.person.key;
  } catch {
    return true;
  }
}
