/* Saves, skips and undos on their way to the server: kept until it acknowledges them, in order, and never stored twice.

   Each has a save_id, made once: the server knows by it what it has seen already. One tab sends at a time. What the
   server will never take becomes a draft again; what it cannot take now is sent later, at growing intervals. */
import { alone } from "./alone.js";
import { Unreachable } from "./server.js";
import { unique } from "./storage.js";

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 60_000;

export class Outbox {
  #running = false;
  #again = false;
  #timer = 0;
  #last = 0;
  #inFlight = null;

  /* `told` has: changed(), stored(entry, reply), refused(entry, message), closed(why). */
  constructor({ storage, server, told }) {
    Object.assign(this, { storage, server, told, failures: 0, state: "idle" });
    window.addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.hurry(); });
    window.addEventListener("storage", (event) => {
      if (!event.key?.startsWith(`${storage.prefix}out:`)) return;
      /* Another tab has sent the last one: there is nothing left to be offline about. */
      if (!this.#running && !this.entries.length) this.#say("idle");
      else told.changed();
    });
  }

  /* {key, id, kind, number, body, tries}, the oldest first. */
  get entries() {
    return this.storage.keys("out:")
      .map((key) => ({ ...this.storage.get(key), key }))
      .filter((entry) => typeof entry.id === "string" && ["save", "skip", "undo"].includes(entry.kind));
  }

  get numbers() {
    return this.entries.filter((entry) => entry.kind !== "undo").map((entry) => entry.number);
  }

  /* The latest save of an item that is still here. */
  pending(number) {
    return this.entries.findLast((entry) => entry.number === number && entry.kind === "save") ?? null;
  }

  put(kind, number, body = {}) {
    /* The keys sort by time, over all tabs; within one millisecond by count. */
    this.#last = Math.max(Date.now(), this.#last + 1);
    const id = unique();
    const key = `out:${String(this.#last).padStart(15, "0")}:${id.slice(0, 8)}`;
    const kept = this.storage.set(key, { id, kind, number, body, tries: 0 });
    this.told.changed();
    this.hurry();
    return kept;
  }

  /* Takes the latest back if it was never sent; else null. */
  takeBack() {
    const latest = this.entries.at(-1);
    if (!latest || latest.tries > 0 || latest.key === this.#inFlight || latest.kind === "undo") return null;
    this.storage.remove(latest.key);
    this.told.changed();
    return latest;
  }

  /* Sends now what is waiting. */
  hurry() {
    clearTimeout(this.#timer);
    return this.#run();
  }

  #later(milliseconds) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), milliseconds);
  }

  #say(state) {
    this.state = state;
    this.told.changed();
  }

  async #run() {
    this.#again = true;
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#again) {
        this.#again = false;
        if (this.entries.length) {
          const mine = await alone(`${this.storage.prefix}send`, this.storage, (prolong) => this.#drain(prolong));
          if (!mine) this.#later(2_000); /* another tab sends; it may be closed before it is done */
        } else {
          this.#say("idle");
        }
      }
    } finally {
      this.#running = false;
    }
  }

  async #drain(prolong) {
    for (let [entry] = this.entries; entry; [entry] = this.entries) {
      prolong();
      this.#inFlight = entry.key;
      const { key, ...kept } = entry;
      /* Written before it goes: from here on it may be at the server, whatever becomes of this page. */
      this.storage.set(key, { ...kept, tries: entry.tries + 1 });
      const outcome = await this.#send(entry);
      this.#inFlight = null;
      if (outcome.kind === "later") {
        this.failures += 1;
        const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(this.failures - 1, 10));
        this.#say(outcome.away ? "away" : "offline");
        this.#later(Math.max(outcome.after * 1_000, wait * (0.75 + Math.random() / 2)));
        return;
      }
      if (outcome.kind === "closed") {
        this.#say("closed");
        this.told.closed(outcome.why);
        this.#later(30_000);
        return;
      }
      this.failures = 0;
      /* Told first, so that what was refused stands in a draft before it leaves the outbox. */
      if (outcome.kind === "stored") this.told.stored(entry, outcome.reply);
      else this.told.refused(entry, outcome.message);
      this.storage.remove(key);
      this.#say(this.entries.length ? "sending" : "idle");
    }
  }

  async #send(entry) {
    try {
      let reply = await this.#ask(entry);
      if (reply.status === 401 || reply.status === 403) {
        /* The session is over, or another has begun since the page was loaded: perhaps the same person's. */
        const why = await this.server.renew();
        if (why !== "renewed") return { kind: "closed", why };
        reply = await this.#ask(entry);
        if (reply.status === 401 || reply.status === 403) return { kind: "closed", why: "closed" };
      }
      if (reply.status === 200 && (entry.kind === "undo" ? reply.body?.number : reply.body?.revision) !== undefined) {
        return { kind: "stored", reply: reply.body };
      }
      if (reply.status === 204 || (reply.status === 200 && entry.kind !== "save" && reply.body)) {
        return { kind: "stored", reply: reply.body };
      }
      if (reply.status >= 400 && reply.status < 500 && ![408, 425, 429].includes(reply.status)) {
        return { kind: "refused", message: reply.body?.message ?? String(reply.status) };
      }
      return { kind: "later", after: reply.after, away: true };
    } catch (error) {
      if (error instanceof Unreachable) return { kind: "later", after: 0, away: navigator.onLine };
      throw error;
    }
  }

  #ask({ kind, number, id, body }) {
    if (kind === "save") {
      const { payload, unclear, seconds } = body;
      return this.server.ask(`/api/items/${number}`, { method: "PUT", body: { payload, unclear, seconds, save_id: id } });
    }
    const path = kind === "skip" ? `/api/items/${number}/skip` : "/api/undo";
    return this.server.ask(path, { method: "POST", body: { save_id: id } });
  }
}
