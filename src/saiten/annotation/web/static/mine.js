/* The list of one's own items: says which of them are drafts or wait to be sent, and goes on sending. */
import { equipBar } from "./bar.js";
import { Drafts } from "./drafts.js";
import { make } from "./make.js";
import { Notices, closedText } from "./notices.js";
import { Outbox } from "./outbox.js";
import { Server } from "./server.js";
import { Storage } from "./storage.js";
import { data, word } from "./words.js";

const storage = new Storage(`saiten:${data.person.key}:`);
const server = new Server(data);
const drafts = new Drafts(storage);
const notices = new Notices(document.getElementById("notices"));
const outbox = new Outbox({
  storage,
  server,
  told: {
    changed: () => say(),
    stored: () => {},
    refused: ({ kind, number, body }, message) => {
      if (kind === "save" && !drafts.of(number)) drafts.keep(number, { payload: body.payload, unclear: body.unclear, seconds: body.seconds, refused: message });
      notices.tell(`refused-${number}`, word("refused", { number, message }), { urgent: true });
    },
    closed: (why) => notices.tell("closed", closedText(why, outbox.entries.length), { urgent: true }),
  },
});
const bar = equipBar({ outbox, storage, server, notices, counted: null, help: () => {}, before: () => {} });

function say() {
  bar?.say();
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
