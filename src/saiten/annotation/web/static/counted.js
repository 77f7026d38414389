/* How many items are done: what the server counted when it gave an item, and what was said since. */
export class Counted {
  #seen = new WeakSet();

  constructor() {
    Object.assign(this, { done: 0, total: null, since: new Set() });
  }

  /* `entries`: what is still on its way to the server. */
  take(item, entries) {
    if (!item.progress || this.#seen.has(item)) return;
    this.#seen.add(item);
    if (item.progress.done < this.done) return; /* fetched ahead, before the latest saves */
    this.done = item.progress.done;
    this.total = item.progress.total_for_me ?? null;
    this.since = new Set(entries.filter((entry) => entry.kind === "save" && entry.body.fresh).map((entry) => entry.number));
  }
}
