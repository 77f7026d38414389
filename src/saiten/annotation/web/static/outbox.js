/* Keeping work and sending it: browser storage, drafts, requests, and the outbox. */
/* Browser storage for one person: localStorage, or the page's memory if that is full or forbidden. */
export class Storage {
  constructor(prefix) {
    this.prefix = prefix;
    this.memory = new Map(); /* lost with the page */
    try {
      this.disk = window.localStorage;
      this.disk.setItem(`${prefix}try`, "1");
      this.disk.removeItem(`${prefix}try`);
    } catch (error) {
      if (!this.disk?.length) this.disk = null; /* full storage can still be read, forbidden storage cannot */
    }
  }

  get(key) {
    if (this.memory.has(key)) return this.memory.get(key);
    try {
      return JSON.parse(this.disk?.getItem(this.prefix + key) ?? "null");
    } catch {
      return null; /* foreign or truncated */
    }
  }

  /* Returns whether the value outlives the page. */
  set(key, value) {
    try {
      this.disk.setItem(this.prefix + key, JSON.stringify(value));
      this.memory.delete(key);
      return true;
    } catch {
      this.memory.set(key, value);
      return false;
    }
  }

  remove(key) {
    this.memory.delete(key);
    try {
      this.disk?.removeItem(this.prefix + key);
    } catch { /* it was never there */ }
  }

  /* Keys with this prefix, sorted. */
  keys(beginning) {
    const found = new Set([...this.memory.keys()].filter((key) => key.startsWith(beginning)));
    try {
      for (let at = 0; at < (this.disk?.length ?? 0); at += 1) {
        const key = this.disk.key(at);
        if (key?.startsWith(this.prefix + beginning)) found.add(key.slice(this.prefix.length));
      }
    } catch { /* forbidden */ }
    return [...found].sort();
  }

  /* Whether work would be lost with the page. */
  get unsafe() {
    return [...this.memory.keys()].some((key) => key.startsWith("draft:") || key.startsWith("out:"));
  }
}

/* A UUID; crypto.randomUUID is missing on plain HTTP. */
export function unique() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/* Unsaved work by item; a save that the server refused becomes a draft again, with the reason. */
export class Drafts {
  constructor(storage) {
    this.storage = storage;
  }

  /* {payload, unclear, seconds, at, refused?} or null. */
  of(number) {
    const draft = this.storage.get(`draft:${number}`);
    return draft && typeof draft.payload === "object" && draft.payload ? draft : null;
  }

  keep(number, draft) {
    return this.storage.set(`draft:${number}`, { ...draft, at: Date.now() });
  }

  drop(number) {
    this.storage.remove(`draft:${number}`);
  }

  get numbers() {
    return this.storage.keys("draft:").map((key) => Number(key.slice("draft:".length))).filter(Number.isInteger);
  }

  get refused() {
    return this.numbers.filter((number) => this.of(number)?.refused);
  }
}

const PATIENCE = 15_000; /* milliseconds */

/* No response, or not one of our server. */
export class Unreachable extends Error {}

export class Server {
  constructor({ csrf, person }) {
    this.csrf = csrf;
    this.person = person;
  }

  /* Returns {status, body, after}: body is the JSON object or null, after the seconds to wait before a retry. */
  async ask(path, { method = "GET", body, accept = "application/json", redirect = "error" } = {}) {
    const headers = { Accept: accept };
    if (method !== "GET") headers["X-CSRF"] = this.csrf;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let response;
    let text;
    try {
      response = await fetch(path, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "same-origin",
        cache: "no-store",
        redirect,
        signal: AbortSignal.timeout(PATIENCE),
      });
      text = await response.text();
    } catch (error) {
      throw new Unreachable(String(error));
    }
    const { status, type } = response;
    if (type === "opaqueredirect") return { status: 303, text: "", body: null, after: 0 };
    const after = Number(response.headers.get("Retry-After")) || 0;
    if (accept !== "application/json") return { status, text, after };
    try {
      return { status, body: text === "" ? null : JSON.parse(text), after };
    } catch {
      /* A gateway's or captive portal's page. */
      if (status < 400 || status >= 500) throw new Unreachable(`status ${status} without JSON`);
      return { status, body: null, after };
    }
  }

  /* Returns "renewed" for a session of the same person, whose token is used from now on, else "other" or "closed". */
  async renew() {
    const { status, text } = await this.ask("/", { accept: "text/html", redirect: "manual" });
    if (status === 303) return "other"; /* an admin is redirected */
    if (status >= 500 || status === 429) throw new Unreachable(`status ${status}`);
    const island = new DOMParser().parseFromString(text, "text/html").getElementById("page-data");
    if (!island) return "closed";
    const found = JSON.parse(island.textContent);
    if (!found.person) return "closed";
    if (found.person.key !== this.person.key) return "other";
    this.csrf = found.csrf;
    return "renewed";
  }
}

const LEASE = 20_000; /* milliseconds; longer than any request */
const me = Math.random().toString(36).slice(2);
const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

/* Does work that only one tab may do at a time; returns false if another tab is doing it.

   Uses the browser's locks, or a lease in storage where there are none; `work` gets a function that prolongs it. */
export async function exclusively(name, storage, work) {
  if (navigator.locks) {
    return navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await work(() => {});
      return lock !== null;
    });
  }
  const held = storage.get("lease");
  if (held && held.by !== me && held.until > Date.now() && held.until < Date.now() + 2 * LEASE) return false;
  const prolong = () => storage.set("lease", { by: me, until: Date.now() + LEASE });
  prolong();
  await pause(30 + Math.random() * 50); /* of two that begin at once, the last writer wins */
  if (storage.get("lease")?.by !== me) return false;
  try {
    await work(prolong);
  } finally {
    if (storage.get("lease")?.by === me) storage.remove("lease");
  }
  return true;
}

/* Saves, skips and undos on their way to the server: kept until acknowledged, in order, and never stored twice.

   Each has a save_id by which the server recognizes repeats. One tab sends at a time. What the server refuses for good
   becomes a draft again; what it cannot take now is retried at growing intervals. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 60_000;

export class Outbox {
  #running = false;
  #again = false;
  #timer = 0;
  #last = 0;
  #inFlight = null;

  /* `on` has: changed(), stored(entry, reply), refused(entry, message), closed(why), delayed(message). */
  constructor({ storage, server, on }) {
    Object.assign(this, { storage, server, on, failures: 0, state: "idle" });
    window.addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.hurry(); });
    window.addEventListener("storage", (event) => {
      if (!event.key?.startsWith(`${storage.prefix}out:`)) return;
      /* Another tab has sent the last entry. */
      if (!this.#running && !this.entries.length) this.#say("idle");
      else on.changed();
    });
  }

  /* [{key, id, kind, number, body, tries}], oldest first. */
  get entries() {
    return this.storage.keys("out:")
      .map((key) => ({ ...this.storage.get(key), key }))
      .filter((entry) => typeof entry.id === "string" && ["save", "skip", "undo"].includes(entry.kind));
  }

  get numbers() {
    return this.entries.filter((entry) => entry.kind !== "undo").map((entry) => entry.number);
  }

  /* The latest unsent save of an item. */
  pending(number) {
    return this.entries.findLast((entry) => entry.number === number && entry.kind === "save") ?? null;
  }

  put(kind, number, body = {}) {
    /* Keys sort by time across tabs, and by count within a millisecond. */
    this.#last = Math.max(Date.now(), this.#last + 1);
    const id = unique();
    const key = `out:${String(this.#last).padStart(15, "0")}:${id.slice(0, 8)}`;
    const kept = this.storage.set(key, { id, kind, number, body, tries: 0 });
    this.on.changed();
    this.hurry();
    return kept;
  }

  /* Removes and returns the latest entry if it was never sent; else returns null. */
  takeBack() {
    const latest = this.entries.at(-1);
    if (!latest || latest.tries > 0 || latest.key === this.#inFlight || latest.kind === "undo") return null;
    this.storage.remove(latest.key);
    this.on.changed();
    return latest;
  }

  /* Sends now. */
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
    this.on.changed();
  }

  async #run() {
    this.#again = true;
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#again) {
        this.#again = false;
        if (this.entries.length) {
          const mine = await exclusively(`${this.storage.prefix}send`, this.storage, (prolong) => this.#drain(prolong));
          if (!mine) this.#later(2_000); /* another tab is sending, and may be closed before it is done */
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
      /* Written before sending: from here on the server may have it, whatever happens to this page. */
      this.storage.set(key, { ...kept, tries: entry.tries + 1 });
      const outcome = await this.#send(entry);
      this.#inFlight = null;
      if (outcome.kind === "later") {
        this.failures += 1;
        const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(this.failures - 1, 10));
        this.#say(outcome.away ? "away" : "offline");
        if (outcome.message) this.on.delayed(outcome.message);
        this.#later(Math.max(outcome.after * 1_000, wait * (0.75 + Math.random() / 2)));
        return;
      }
      if (outcome.kind === "closed") {
        this.#say("closed");
        this.on.closed(outcome.why);
        this.#later(30_000);
        return;
      }
      this.failures = 0;
      /* Reported first, so that a refused save is a draft before it leaves the outbox. */
      if (outcome.kind === "stored") this.on.stored(entry, outcome.reply);
      else this.on.refused(entry, outcome.message);
      this.storage.remove(key);
      this.#say(this.entries.length ? "sending" : "idle");
    }
  }

  async #send(entry) {
    try {
      let reply = await this.#ask(entry);
      if (reply.status === 401 || reply.status === 403) {
        /* The session has ended, or another one has begun, perhaps the same person's. */
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
      return { kind: "later", after: reply.after, away: true, message: reply.status === 507 ? reply.body?.message : null };
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
