/* What is done with the item on the desk: it is saved or passed over, and the next one comes. */
export class Saving {
  constructor(work) {
    this.work = work;
  }

  save() {
    const { desk } = this.work;
    if (!desk.item) return;
    const wrong = desk.fault();
    if (wrong) {
      desk.problem(wrong.message, wrong.at);
      return;
    }
    desk.instructed();
    this.#leave("save", desk.item.number, desk.body());
  }

  skip() {
    const { desk } = this.work;
    if (!desk.item || desk.item.state === "done") return false;
    desk.keepDraft();
    this.#leave("skip", desk.item.number, { fresh: true });
    return true;
  }

  #leave(kind, number, body) {
    const { ahead, counted, desk, drafts, going, outbox } = this.work;
    if (kind === "save" && body.fresh) counted.since.add(number);
    /* First into the outbox, then out of the drafts: whenever the page ends, it stands in one of them. */
    outbox.put(kind, number, body);
    if (kind === "save") drafts.drop(number);
    desk.leave();
    ahead.forget(number);
    if (location.hash) history.replaceState(null, "", location.pathname);
    going.next();
  }
}
