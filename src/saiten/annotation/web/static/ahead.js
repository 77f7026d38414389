/* The next items, fetched before they are needed, so that a lost connection does not stop the work at once. */
import { Unreachable } from "./server.js";

const AHEAD = 3;
const MOST_OPEN = 5; /* that the server lets one person have */

export class Ahead {
  #fetching = null;

  /* `taken()`: the numbers that are not to come (the one that is shown, those in the outbox). */
  constructor({ server, taken }) {
    Object.assign(this, { server, taken, ready: [], able: true });
  }

  forget(number) {
    this.ready = this.ready.filter((item) => item.number !== number);
  }

  /* The next item; null when nothing is left; throws Unreachable, or {closed: true}. */
  async next() {
    const taken = this.taken();
    this.ready = this.ready.filter((item) => !taken.includes(item.number));
    if (!this.ready.length) await this.#more(1);
    return this.ready.shift() ?? null;
  }

  /* Fetches until enough are there; a failure is no matter, for the next one will be asked for anyhow. */
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
        this.able = false; /* a server that gives one at a time */
        if (wanted === 1) throw new Unreachable("the next item comes when the last is stored");
        return;
      }
      this.ready.push(body);
    }
  }
}
