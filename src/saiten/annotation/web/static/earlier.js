/* What one said oneself about another item with the same text: a beginning, said to be one, and free to be changed. */
import { FORMS } from "./forms/all.js";
import { make, button } from "./make.js";
import { data, word } from "./words.js";

export class Earlier {
  constructor(work) {
    this.work = work;
    this.element = make("div", { class: "beforehand carried", hidden: true });
  }

  /* Puts it into the form, where nothing was said yet (`wanted`); `taken()` is told before anybody changes it. */
  async offer(item, { wanted, form, taken, changed }) {
    this.element.hidden = true;
    if (!wanted || !data.shared) return;
    const { desk } = this.work;
    const found = this.#here(item) ?? await this.#asked(item.number);
    if (!found || desk.form !== form || desk.dirty) return;
    form.write(found.payload);
    taken();
    const empty = () => {
      form.write({});
      this.element.hidden = true;
      changed();
    };
    this.element.replaceChildren(make("p", { text: word("carried_over", { number: found.number }) }), button(word("begin_empty"), empty, { class: "plain" }));
    this.element.hidden = false;
  }

  /* Of what this page has shown and sent lately: the server may not know it yet. */
  #here(item) {
    const { going, outbox, undoing } = this.work;
    const said = [...undoing.recent, ...outbox.entries].filter((each) => each.kind === "save" && each.number !== item.number);
    const like = said.findLast((each) => going.left.get(each.number)?.content[data.shared] === item.content[data.shared]);
    const payload = like && FORMS[data.form].carriedOver(like.body.payload);
    return payload ? { number: like.number, payload } : null;
  }

  async #asked(number) {
    try {
      const { status, body } = await this.work.server.ask(`/api/items/${number}/earlier`);
      return status === 200 && body?.payload ? body : null;
    } catch {
      return null; /* no connection: one begins with nothing */
    }
  }
}
