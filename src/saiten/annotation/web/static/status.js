/* Progress, connection state, notices, and the time spent on an item. */
import { button, data, figure, make, word } from "./dom.js";

/* The bar at the top: progress, whether everything is saved, the language, and logging out. */
export function equipBar({ outbox, storage, server, notices, counted, help, before }) {
  const state = document.getElementById("state");
  const progress = document.getElementById("progress");
  let shown = "";

  function say() {
    const waiting = outbox.entries.length;
    const kind = storage.unsafe ? "unkept" : outbox.state === "closed" ? "closed"
      : ["offline", "away"].includes(outbox.state) || !navigator.onLine ? "offline" : waiting ? "waiting" : "sent";
    const text = {
      unkept: word("not_kept"),
      closed: word("waiting", { n: figure(waiting) }),
      offline: waiting ? word("offline_waiting", { n: figure(waiting) }) : word("offline"),
      waiting: word("waiting", { n: figure(waiting) }),
      sent: word("sent"),
    }[kind];
    state.dataset.kind = kind;
    if (text !== shown) state.textContent = text;
    shown = text;
    const still = document.querySelector(".finished .still");
    if (still) still.textContent = waiting ? word("all_done_waiting", { n: waiting }) : "";
    if (storage.unsafe) notices.show("unkept", word("storage_full", { n: waiting }), { urgent: true });
    else notices.clear("unkept");
    if (!progress || !counted) return;
    const done = counted.done + counted.since.size;
    const label = counted.total ? word("progress", { done: figure(done), total: figure(counted.total) }) : word("progress_open", { done: figure(done) });
    const meter = counted.total ? make("progress", { max: counted.total, value: Math.min(done, counted.total), "aria-label": word("progress_label") }) : null;
    progress.replaceChildren(make("span", { text: label }), ...(meter ? [meter] : []));
  }

  document.getElementById("language").addEventListener("click", async () => {
    before();
    const language = data.language === "ja" ? "en" : "ja";
    try {
      const { status } = await server.ask("/api/language", { method: "POST", body: { language } });
      if (status < 300) location.reload();
      else notices.show("bar", word("server_away"), { seconds: 6 });
    } catch {
      notices.show("bar", word("server_away"), { seconds: 6 });
    }
  });
  document.getElementById("leave").addEventListener("click", async () => {
    before();
    const waiting = outbox.entries.length;
    if (waiting && !window.confirm(word("leave_unsent", { n: waiting }))) return;
    try {
      const { status } = await server.ask("/api/leave", { method: "POST" });
      if (status < 300 || status === 401) location.assign("/");
    } catch {
      notices.show("bar", word("server_away"), { seconds: 6 });
    }
  });
  document.getElementById("help")?.addEventListener("click", help);
  window.addEventListener("offline", say);
  window.addEventListener("online", say);
  return { say };
}

/* Why nothing can be sent; `waiting`: number of unsent entries. */
export function closedText(why, waiting) {
  if (why === "other") return word("other_person");
  const sentences = [word("closed_title"), word("closed"), waiting ? word("closed_waiting", { n: waiting }) : ""];
  return sentences.filter(Boolean).join(data.language === "ja" ? "" : " ");
}

/* Notices above the texts: one per topic, each with at most one action. */
export class Notices {
  #shown = new Map();

  constructor(place) {
    this.place = place;
  }

  show(topic, text, { urgent = false, action = null, seconds = 0 } = {}) {
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

const IDLE = 120_000;

/* Time on an item: while the page is visible, up to two minutes after the last activity. */
export class Timer {
  #spent = 0;
  #from = null;
  #seen = 0;

  constructor() {
    for (const sign of ["pointermove", "pointerdown", "keydown", "scroll", "touchstart"]) {
      window.addEventListener(sign, () => this.#alive(), { passive: true, capture: true });
    }
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#pause() : this.#alive()));
  }

  begin(seconds = 0) {
    this.#spent = seconds * 1_000;
    this.running = true;
    this.#from = document.hidden ? null : performance.now();
    this.#seen = performance.now();
  }

  stop() {
    this.#pause();
    this.running = false;
  }

  get seconds() {
    const until = Math.min(performance.now(), this.#seen + IDLE);
    return (this.#spent + (this.#from === null ? 0 : Math.max(0, until - this.#from))) / 1_000;
  }

  #pause() {
    this.#spent = this.seconds * 1_000;
    this.#from = null;
  }

  #alive() {
    if (!this.running || document.hidden) return;
    const now = performance.now();
    if (this.#from === null || now - this.#seen > IDLE) {
      this.#spent = this.seconds * 1_000;
      this.#from = now;
    }
    this.#seen = now;
  }
}
