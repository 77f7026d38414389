/* Entry point of the annotators' pages: grading, and the annotator's list of items. */
import { data, make, word } from "./dom.js";
import { Editor } from "./editor.js";
import { Finder } from "./item_texts.js";
import { equipKeys } from "./keyboard.js";
import { Navigation, Prefetch, isHere } from "./navigation.js";
import { Drafts, Outbox, Server, Storage } from "./outbox.js";
import { Counted, Saving, Undoing } from "./saving.js";
import { Notices, Timer, closedText, equipBar } from "./status.js";

const storage = new Storage(`saiten:${data.person.key}:`);
const server = new Server(data);
const notices = new Notices(document.getElementById("notices"));
const drafts = new Drafts(storage);

/* The list: shows which items are drafts or unsent, and keeps sending. */
function list() {
  const outbox = new Outbox({
    storage,
    server,
    on: {
      changed: () => {
        if (outbox.state === "idle") notices.clear("delayed");
        say();
      },
      stored: () => {},
      refused: ({ kind, number, body }, message) => {
        if (kind === "save" && !drafts.of(number)) drafts.keep(number, { payload: body.payload, unclear: body.unclear, seconds: body.seconds, refused: message });
        notices.show(`refused-${number}`, word("refused", { number, message }), { urgent: true });
      },
      closed: (why) => notices.show("closed", closedText(why, outbox.entries.length), { urgent: true }),
      delayed: (message) => notices.show("delayed", message, { urgent: true }),
    },
  });
  const bar = equipBar({ outbox, storage, server, notices, counted: null, help: () => {}, before: () => {} });

  function say() {
    bar.say();
    for (const row of document.querySelectorAll("[data-number]")) {
      const number = Number(row.dataset.number);
      const draft = drafts.of(number);
      const here = outbox.numbers.includes(number) ? "unsent" : draft?.refused ? "refused" : draft ? "draft" : "";
      const place = row.querySelector(".here");
      if (place.dataset.kind !== here) {
        place.dataset.kind = here;
        place.replaceChildren(...(here ? [make("span", { text: word(`state_${here}`) })] : []));
      }
    }
  }

  const times = new Intl.DateTimeFormat(data.language, { dateStyle: "medium", timeStyle: "short" });
  for (const time of document.querySelectorAll("time[datetime]")) {
    const when = new Date(time.dateTime);
    if (!Number.isNaN(when.getTime())) time.textContent = times.format(when);
  }
  outbox.hurry();
  say();
}

function grade(main) {
  /* Shared by the parts of the page; each looks up what it needs when it needs it, since some need each other. */
  const work = { main, storage, server, notices, drafts, timer: new Timer(), finder: new Finder(), counted: new Counted() };
  const outbox = work.outbox = new Outbox({
    storage,
    server,
    on: {
      changed: () => {
        if (outbox.state === "idle") ["closed", "delayed"].forEach((name) => notices.clear(name));
        work.bar.say();
      },
      stored: (entry, reply) => work.undoing.stored(entry, reply),
      refused: (entry, message) => work.undoing.refused(entry, message),
      closed: (why) => work.navigation.closed(why),
      delayed: (message) => notices.show("delayed", message, { urgent: true }),
    },
  });
  const saved = () => outbox.entries.filter((entry) => entry.body?.fresh).map((entry) => entry.number);
  work.prefetch = new Prefetch({ server, taken: () => [...new Set([...saved(), ...editor.open])] });
  const editor = work.editor = new Editor(work);
  const navigation = work.navigation = new Navigation(work);
  work.saving = new Saving(work);
  const undoing = work.undoing = new Undoing(work);
  const help = equipKeys(work);
  work.bar = equipBar({ outbox, storage, server, notices, counted: work.counted, help, before: () => editor.keepDraft() });

  /* Another tab may have changed this item: the latest change counts. */
  function syncTabs() {
    const { number } = editor.item;
    const draft = drafts.of(number);
    if (draft && draft.at > editor.draftAt && !document.hasFocus()) {
      editor.restore();
    } else if (!draft && editor.draftAt && (outbox.pending(number) || undoing.recent.some((each) => each.number === number))) {
      notices.show("next", word("changed_elsewhere"), { seconds: 8 });
      editor.dirty = false;
      navigation.next();
    }
  }

  window.addEventListener("beforeunload", (event) => {
    editor.keepDraft();
    if (storage.unsafe) event.preventDefault();
  });
  window.addEventListener("pagehide", () => editor.keepDraft());
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) editor.keepDraft();
    else if (editor.item) syncTabs();
  });
  window.addEventListener("storage", (event) => {
    if (event.key === "saiten:here") {
      if (!isHere()) {
        navigation.closed("other");
        return;
      }
      notices.clear("other");
      outbox.hurry();
      if (!editor.item) navigation.start();
    }
    if (editor.item && event.key?.startsWith(storage.prefix)) syncTabs();
  });
  window.addEventListener("hashchange", () => navigation.start());
  try {
    localStorage.setItem("saiten:here", data.person.key);
  } catch { /* the bar says so */ }
  outbox.hurry();
  navigation.start();
}

const main = document.getElementById("main");
if (main.matches(".list")) list();
else grade(main);
