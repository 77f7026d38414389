/* Saving, skipping and undoing. */
import { word } from "./dom.js";

/* Saves or skips the current item and moves on. */
export class Saving {
  constructor(work) {
    this.work = work;
  }

  save() {
    const { editor } = this.work;
    if (!editor.item) return;
    const wrong = editor.fault();
    if (wrong) {
      editor.problem(wrong.message, wrong.at);
      return;
    }
    editor.instructed();
    this.#leave("save", editor.item.number, editor.body());
  }

  skip() {
    const { editor } = this.work;
    if (!editor.item || editor.item.state === "done") return false;
    editor.keepDraft();
    this.#leave("skip", editor.item.number, { fresh: true });
    return true;
  }

  #leave(kind, number, body) {
    const { prefetch, counted, editor, drafts, navigation, outbox } = this.work;
    if (kind === "save" && body.fresh) counted.since.add(number);
    /* Into the outbox before it leaves the drafts, so that it is in one of them whenever the page closes. */
    outbox.put(kind, number, body);
    if (kind === "save") drafts.drop(number);
    editor.leave();
    prefetch.forget(number);
    if (location.hash) history.replaceState(null, "", location.pathname);
    navigation.next();
  }
}

const RECENT = 20;

/* Brings back undone items, and saves that the server refused. */
export class Undoing {
  constructor(work) {
    this.work = work;
  }

  /* The latest saves and skips the server has stored: [{number, kind, body}]. */
  get recent() {
    return this.work.storage.get("recent") ?? [];
  }

  undo() {
    const { editor, notices, outbox } = this.work;
    editor.keepDraft();
    const latest = outbox.entries.findLast((entry) => entry.kind !== "undo");
    const dropped = outbox.takeBack();
    const known = dropped ?? (outbox.entries.at(-1)?.kind === "undo" ? null : latest);
    if (!dropped) outbox.put("undo", 0);
    if (known) this.#takenBack(known.number, known);
    else if (outbox.state === "offline" || outbox.state === "away") notices.show("undo", word("undo_waits"));
  }

  /* Reopens the item with its annotation in the form. */
  #takenBack(number, entry) {
    const { counted, navigation, notices } = this.work;
    counted.since.delete(number);
    if (entry?.kind === "save" && !this.work.drafts.of(number)) this.#toDraft(number, entry.body);
    notices.show("undo", word("taken_back", { number }), { seconds: 8 });
    navigation.openNumber(number);
  }

  #toDraft(number, { payload, unclear, seconds }, more = {}) {
    this.work.drafts.keep(number, { payload, unclear, seconds, ...more });
  }

  /* The server has stored the entry. */
  stored(entry, reply) {
    const { storage } = this.work;
    if (entry.kind === "undo") this.#undone(reply?.number);
    else storage.set("recent", [...this.recent, { number: entry.number, kind: entry.kind, body: entry.body }].slice(-RECENT));
  }

  #undone(number) {
    const { editor, drafts, navigation, notices, storage } = this.work;
    if (!number) {
      notices.show("undo", word("nothing_to_undo"), { seconds: 5 });
      return;
    }
    const list = this.recent;
    const at = list.findLastIndex((each) => each.number === number);
    const last = at < 0 ? null : list.splice(at, 1)[0];
    storage.set("recent", list);
    if (editor.item?.number === number) {
      /* Opened when the key was pressed; it may still have counted as done then. */
      if (editor.item.state === "done") navigation.openNumber(number);
    } else if (editor.item && drafts.of(editor.item.number) && editor.dirty) {
      notices.show("undo", word("taken_back", { number }), { action: [word("open_item", { number }), () => { this.#takenBack(number, last); }] });
    } else {
      this.#takenBack(number, last);
    }
  }

  /* The server refused for good: the save becomes a draft again, unless there is a newer one. */
  refused(entry, message) {
    const { counted, editor, drafts, navigation, notices, outbox } = this.work;
    const { number } = entry;
    if (entry.kind === "undo") {
      notices.show("undo", word("server_says", { message }), { urgent: true });
      return;
    }
    const newer = drafts.of(number) || outbox.entries.some((other) => other.number === number && other.key > entry.key);
    if (entry.kind === "save" && !newer) this.#toDraft(number, entry.body, { refused: message });
    counted.since.delete(number);
    const quiet = editor.item === null || !editor.dirty;
    if (entry.kind === "save" && quiet) navigation.openNumber(number);
    notices.show(`refused-${number}`, word("refused", { number, message }), {
      urgent: true, action: entry.kind === "save" && !quiet ? [word("open_item", { number }), () => navigation.openNumber(number)] : null,
    });
  }

  /* Mentions drafts that the server refused before this page was opened. */
  remind() {
    const { drafts, navigation, notices } = this.work;
    const unsaved = drafts.refused;
    if (!unsaved.length) return;
    const action = [word("open_item", { number: unsaved[0] }), () => navigation.openNumber(unsaved[0])];
    notices.show("refused", word("refused_some", { n: unsaved.length }), { urgent: true, action });
  }
}

/* Number of items done: the server's count with an item, plus saves since. */
export class Counted {
  #seen = new WeakSet();

  constructor() {
    Object.assign(this, { done: 0, total: null, since: new Set() });
  }

  /* `entries`: those of the outbox. */
  take(item, entries) {
    if (!item.progress || this.#seen.has(item)) return;
    this.#seen.add(item);
    if (item.progress.done < this.done) return; /* prefetched before the latest saves */
    this.done = item.progress.done;
    this.total = item.progress.total_for_me ?? null;
    this.since = new Set(entries.filter((entry) => entry.kind === "save" && entry.body.fresh).map((entry) => entry.number));
  }
}
