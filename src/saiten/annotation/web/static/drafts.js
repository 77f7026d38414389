/* What was begun and not saved, by item; a save that the server refused becomes a draft again, with its reason. */
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
