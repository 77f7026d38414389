/* The admin's decision about one item: said with the form that annotators use, begun with what one of them said. */
import { $, all, ask } from "./admin.js";
import { FORMS } from "./forms/all.js";
import { drawTexts } from "./item_texts.js";
import { isComposing, keyOf } from "./keyboard.js";
import { isField } from "./make.js";
import { data } from "./words.js";

const decision = $("#decision");
const problem = $("#problem");
const { heading, texts, named } = drawTexts(data.content);
$("#texts").replaceChildren(heading, texts);
const form = new FORMS[data.form]({
  item: { content: data.content }, texts: data.texts, views: named, changed: () => { problem.textContent = ""; },
});
$("#decided").replaceChildren(form.element);
form.write(data.decision ?? {});
for (const place of all("[data-marked]")) {
  const drawn = FORMS[data.form].marked?.(data.content, data.marked[place.dataset.marked]);
  if (drawn) place.replaceWith(drawn);
}
for (const button of all("[data-take]")) {
  button.addEventListener("click", () => {
    form.write(data.said[Number(button.dataset.take)].payload);
    problem.textContent = "";
    decision.scrollIntoView({ block: "nearest" });
  });
}

/* Whether it was stored. */
async function decide() {
  const wrong = form.problem({ unclear: true });
  if (wrong) {
    problem.textContent = wrong.message;
    wrong.at.focus();
    return false;
  }
  const note = decision.elements.note.value;
  return await ask("PUT", `/api/admin/items/${data.item}/decision`, { payload: form.read(), note }) !== null;
}

decision.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (await decide()) location.reload();
});
$("#decide-next").addEventListener("click", async () => {
  if (await decide()) location.assign(`/admin/differences/next?after=${data.item}`);
});
/* Until here a click would have been lost. */
for (const button of all("button:disabled")) button.disabled = false;
document.addEventListener("keydown", (event) => {
  if (isComposing(event) || event.defaultPrevented || event.repeat) return;
  const commanded = event.ctrlKey || event.metaKey;
  if (event.key === "Enter" && commanded) decision.requestSubmit();
  else if (commanded || event.altKey || isField(event.target) || !form.press(keyOf(event))) return;
  event.preventDefault();
});
