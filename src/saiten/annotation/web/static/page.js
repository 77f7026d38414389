/* The page on which one grades: its parts put together, and what happens to the page as a whole. */
import { Ahead } from "./ahead.js";
import { equipBar } from "./bar.js";
import { equipKeys } from "./commands.js";
import { Counted } from "./counted.js";
import { Desk } from "./desk.js";
import { Drafts } from "./drafts.js";
import { Finder } from "./finder.js";
import { Going, isHere } from "./going.js";
import { Notices } from "./notices.js";
import { Outbox } from "./outbox.js";
import { Saving } from "./saving.js";
import { Server } from "./server.js";
import { Storage } from "./storage.js";
import { Timer } from "./timer.js";
import { Undoing } from "./undoing.js";
import { data, word } from "./words.js";

/* What the parts share; each takes what it needs when it needs it, since some need each other. */
const work = {
  main: document.getElementById("main"),
  storage: new Storage(`saiten:${data.person.key}:`),
  server: new Server(data),
  notices: new Notices(document.getElementById("notices")),
  timer: new Timer(),
  finder: new Finder(),
  counted: new Counted(),
};
const { notices, server, storage } = work;
const drafts = work.drafts = new Drafts(storage);
const outbox = work.outbox = new Outbox({
  storage,
  server,
  told: {
    changed: () => {
      if (outbox.state === "idle") notices.clear("closed");
      work.bar.say();
    },
    stored: (entry, reply) => work.undoing.stored(entry, reply),
    refused: (entry, message) => work.undoing.refused(entry, message),
    closed: (why) => work.going.closed(why),
  },
});
const saved = () => outbox.entries.filter((entry) => entry.body?.fresh).map((entry) => entry.number);
work.ahead = new Ahead({ server, taken: () => [...new Set([...saved(), ...desk.open])] });
const desk = work.desk = new Desk(work);
const going = work.going = new Going(work);
work.saving = new Saving(work);
const undoing = work.undoing = new Undoing(work);
const help = equipKeys(work);
work.bar = equipBar({ outbox, storage, server, notices, counted: work.counted, help, before: () => desk.keepDraft() });

window.addEventListener("beforeunload", (event) => {
  desk.keepDraft();
  if (storage.unsafe) event.preventDefault();
});
window.addEventListener("pagehide", () => desk.keepDraft());
document.addEventListener("visibilitychange", () => {
  if (document.hidden) desk.keepDraft();
  else if (desk.item) meet();
});
window.addEventListener("storage", (event) => {
  if (event.key === "saiten:here") {
    if (!isHere()) {
      going.closed("other");
      return;
    }
    notices.clear("other");
    outbox.hurry();
    if (!desk.item) going.start();
  }
  if (desk.item && event.key?.startsWith(storage.prefix)) meet();
});
window.addEventListener("hashchange", () => going.start());

/* Another tab may have gone on with this item: what was said last counts. */
function meet() {
  const { number } = desk.item;
  const draft = drafts.of(number);
  if (draft && draft.at > desk.draftAt && !document.hasFocus()) {
    desk.restore();
  } else if (!draft && desk.draftAt && (outbox.pending(number) || undoing.recent.some((each) => each.number === number))) {
    notices.tell("next", word("changed_elsewhere"), { seconds: 8 });
    desk.dirty = false;
    going.next();
  }
}

try {
  localStorage.setItem("saiten:here", data.person.key);
} catch { /* told by the bar */ }
outbox.hurry();
going.start();
