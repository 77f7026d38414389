/* What comes back: the latest save or skip that is taken back, and what the server refused. */
import { word } from "./words.js";

const RECENT = 20;

export class Undoing {
  constructor(work) {
    this.work = work;
  }

  /* The latest saves and skips that the server has: {number, kind, body}. */
  get recent() {
    return this.work.storage.get("recent") ?? [];
  }

  undo() {
    const { desk, notices, outbox } = this.work;
    desk.keepDraft();
    const latest = outbox.entries.findLast((entry) => entry.kind !== "undo");
    const dropped = outbox.takeBack();
    const known = dropped ?? (outbox.entries.at(-1)?.kind === "undo" ? null : latest);
    if (!dropped) outbox.put("undo", 0);
    if (known) this.#takenBack(known.number, known);
    else if (outbox.state === "offline" || outbox.state === "away") notices.tell("undo", word("undo_waits"));
  }

  /* The item comes back into the form as it was said. */
  #takenBack(number, entry) {
    const { counted, going, notices } = this.work;
    counted.since.delete(number);
    if (entry?.kind === "save" && !this.work.drafts.of(number)) this.#toDraft(number, entry.body);
    notices.tell("undo", word("taken_back", { number }), { seconds: 8 });
    going.openNumber(number);
  }

  #toDraft(number, { payload, unclear, seconds }, more = {}) {
    this.work.drafts.keep(number, { payload, unclear, seconds, ...more });
  }

  /* The server has it. */
  stored(entry, reply) {
    const { storage } = this.work;
    if (entry.kind === "undo") this.#undone(reply?.number);
    else storage.set("recent", [...this.recent, { number: entry.number, kind: entry.kind, body: entry.body }].slice(-RECENT));
  }

  #undone(number) {
    const { desk, drafts, going, notices, storage } = this.work;
    if (!number) {
      notices.tell("undo", word("nothing_to_undo"), { seconds: 5 });
      return;
    }
    const list = this.recent;
    const at = list.findLastIndex((each) => each.number === number);
    const last = at < 0 ? null : list.splice(at, 1)[0];
    storage.set("recent", list);
    if (desk.item?.number === number) {
      /* It was opened when the key was pressed; if it still counted as done then, it does no more. */
      if (desk.item.state === "done") going.openNumber(number);
    } else if (desk.item && drafts.of(desk.item.number) && desk.dirty) {
      notices.tell("undo", word("taken_back", { number }), { action: [word("open_item", { number }), () => { this.#takenBack(number, last); }] });
    } else {
      this.#takenBack(number, last);
    }
  }

  /* The server will never take it: it becomes a draft again, unless something newer is there. */
  refused(entry, message) {
    const { counted, desk, drafts, going, notices, outbox } = this.work;
    const { number } = entry;
    if (entry.kind === "undo") {
      notices.tell("undo", word("server_says", { message }), { urgent: true });
      return;
    }
    const newer = drafts.of(number) || outbox.entries.some((other) => other.number === number && other.key > entry.key);
    if (entry.kind === "save" && !newer) this.#toDraft(number, entry.body, { refused: message });
    counted.since.delete(number);
    const quiet = desk.item === null || !desk.dirty;
    if (entry.kind === "save" && quiet) going.openNumber(number);
    notices.tell(`refused-${number}`, word("refused", { number, message }), {
      urgent: true, action: entry.kind === "save" && !quiet ? [word("open_item", { number }), () => going.openNumber(number)] : null,
    });
  }

  /* Drafts that the server refused before this page was opened. */
  remind() {
    const { drafts, going, notices } = this.work;
    const unsaved = drafts.refused;
    if (!unsaved.length) return;
    const action = [word("open_item", { number: unsaved[0] }), () => going.openNumber(unsaved[0])];
    notices.tell("refused", word("refused_some", { n: unsaved.length }), { urgent: true, action });
  }
}
