/* All texts of an item: the question, then the answers, and beside them what they are held against. */
import { nameOf } from "./forms/ranking.js";
import { make } from "./make.js";
import { View, folds, panel } from "./views.js";
import { word } from "./words.js";

/* {heading, texts, named, folding, views}: two elements, the views by name, those that fold, and all of them. */
export function drawTexts(content) {
  const { language } = content;
  const texts = make("div", { class: content.answers ? "texts several" : "texts" });
  const sources = make("div", { class: "sources" });
  const named = {};
  const views = [];
  const folding = [];
  const draw = (place, name, text, label, after = null) => {
    const view = new View(text, { language, label, name });
    views.push(view);
    place.append(panel(view, "h2", after));
    return view;
  };
  if (content.answers) {
    const answers = make("div", { class: "answers" });
    content.answers.forEach(({ key, text }, at) => {
      /* Whose it is stands there for admins; annotators are not told. */
      const id = content.ids ? make("small", { class: "id", dir: "auto", text: content.ids[key] }) : null;
      const digit = at < 9 ? make("kbd", { text: String(at + 1), "aria-hidden": "true" }) : null;
      draw(answers, "answer", text, word("answer_named", { name: nameOf(at) }), id ?? digit);
    });
    texts.append(answers);
  } else {
    named.answer = draw(texts, "answer", content.answer, word("answer"));
    reachable(named.answer);
  }
  if (content.reference !== undefined) named.reference = draw(sources, "reference", content.reference, word("reference"));
  for (const [name, numbered] of [["alternatives", "alternative_numbered"], ["contexts", "context_numbered"]]) {
    if (!content[name]?.length) continue;
    const { element, views: folded } = folds(name, word(name), content[name], numbered, language);
    folding.push(...folded);
    sources.append(element);
  }
  if (sources.childElementCount) texts.append(sources);
  const question = new View(content.question, { language, label: word("question"), name: "question" });
  question.repaint();
  const heading = make("h1", { class: "question", tabindex: "-1", id: "question" },
    make("span", { class: "unseen", text: `${word("question")}: ` }), question.element);
  return { heading, texts, named, folding, views: [...views, ...folding, question] };
}

/* A text that scrolls in itself can be reached by Tab, too. */
function reachable(view) {
  const panel = view.element.parentElement;
  new ResizeObserver(() => { panel.tabIndex = panel.scrollHeight > panel.clientHeight ? 0 : -1; }).observe(panel);
}
