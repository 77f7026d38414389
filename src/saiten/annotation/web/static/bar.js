/* The bar on top: how far one is, whether everything is saved, the language, and the way out. */
import { make } from "./make.js";
import { data, figure, word } from "./words.js";

export function equipBar({ outbox, storage, server, notices, counted, help, before }) {
  const state = document.getElementById("state");
  const progress = document.getElementById("progress");
  let said = "";

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
    if (text !== said) state.textContent = text;
    said = text;
    const still = document.querySelector(".finished .still");
    if (still) still.textContent = waiting ? word("all_done_waiting", { n: waiting }) : "";
    if (storage.unsafe) notices.tell("unkept", word("storage_full", { n: waiting }), { urgent: true });
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
      else notices.tell("bar", word("server_away"), { seconds: 6 });
    } catch {
      notices.tell("bar", word("server_away"), { seconds: 6 });
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
      notices.tell("bar", word("server_away"), { seconds: 6 });
    }
  });
  document.getElementById("help")?.addEventListener("click", help);
  window.addEventListener("offline", say);
  window.addEventListener("online", say);
  return { say };
}
