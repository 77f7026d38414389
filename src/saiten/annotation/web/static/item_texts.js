/* All texts of an item: the question, then answers, reference and what can be folded, beside each other. */
import { nameOf } from "./forms/preference.js";
import { make } from "./make.js";
import { View, folds, panel } from "./views.js";
import { word } from "./words.js";

/* {heading, texts, named, folding, views}: two elements, the views by name, those that fold, and all of them. */
export function drawTexts(content) {
  const { language } = content;
  const texts = make("div", { class: "texts" });
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
    content.answers.forEach(({ text }, at) => {
      const key = at < 9 ? make("kbd", { text: String(at + 1), "aria-hidden": "true" }) : null;
      draw(answers, "answer", text, word("answer_named", { name: nameOf(at) }), key);
    });
    texts.append(answers);
  } else {
    named.answer = draw(texts, "answer", content.answer, word("answer"));
  }
  if (content.reference !== undefined) named.reference = draw(texts, "reference", content.reference, word("reference"));
  for (const [name, numbered] of [["alternatives", "alternative_numbered"], ["contexts", "context_numbered"]]) {
    if (!content[name]?.length) continue;
    const { element, views: folded } = folds(name, word(name), content[name], numbered, language);
    folding.push(...folded);
    texts.append(element);
  }
  const question = new View(content.question, { language, label: word("question"), name: "question" });
  question.repaint();
  const heading = make("h1", { class: "question", tabindex: "-1", id: "question" },
    make("span", { class: "unseen", text: `${word("question")}: ` }), question.element);
  return { heading, texts, named, folding, views: [...views, ...folding, question] };
}
