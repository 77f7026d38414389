/* The texts of an opened answer: question, reference, the answer with its units, a transcript. */
function answerTexts({ passages, search, elements, words }) {
  const { make, named, inLanguage } = elements;

  function block(title, content, lang, kind = "") {
    const empty = content === undefined || content === null ? words.none : content === "" ? words.empty : null;
    return [make("h3", "", title), empty === null ? inLanguage(lang, make("p", `said ${kind}`, search.marked(content))) : make("p", "nothing", `(${empty})`)];
  }

  /* The question, after what was said before it. */
  function question(sample, lang) {
    const said = (sample.history ?? []).flatMap(([asked, answered]) => [[words.user, asked], [words.assistant, answered]]);
    const before = said.filter(([, content]) => content).map(([who, content]) => `${who}: ${content}`);
    return [...(before.length ? [passages.before(before, lang)] : []), ...block(words.question, sample.question, lang, "question")];
  }

  /* The references from a place on. */
  function references(sample, lang, from = 0) {
    const all = sample.references ?? [];
    return all.slice(from).flatMap((text, at) => block(all.length > 1 ? named(words.references, { number: from + at + 1 }) : words.reference, text, lang));
  }

  const drawn = (sample) => (sample.gist ?? []).some((view) => view.number !== null);
  const isPlain = (sample) => !sample.dialogue && !drawn(sample);

  /* The answer: as a dialogue, with its units, or as plain text. */
  function answer(sample, lang) {
    return [
      ...(isPlain(sample) ? block(words.answer, sample.answer, lang) : []),
      ...(sample.gist ?? []).flatMap((view) => units(view, sample, lang)),
      ...(sample.dialogue ? talk(sample.dialogue, lang) : []),
    ];
  }

  /* Mark the units of gist at their places; where units cross, the inner one is closed and reopened. */
  function marked(pieces, of, whole) {
    const made = document.createDocumentFragment();
    let around = [];
    const between = whole && pieces.some(([, on]) => on.length);
    for (const [content, on, begin] of pieces) {
      const goingOn = on.length - begin;
      let same = 0;
      while (same < goingOn && same < around.length && around[same].unit === on[same]) same += 1;
      around = around.slice(0, same);
      for (let at = same; at < on.length; at += 1) {
        const [kind, why] = of[on[at]];
        const mark = make("mark", at < goingOn ? `${kind} on` : kind);
        if (why) mark.title = why;
        (around.at(-1)?.mark ?? made).append(mark);
        around.push({ unit: on[at], mark });
      }
      (around.at(-1)?.mark ?? made).append(between && !on.length && content.trim() ? make("span", "lo", content) : content);
    }
    return made;
  }

  function units(view, sample, lang) {
    const title = make("h3", "", `${words.gist}: ${view.profile}`);
    if (view.number === null) return [title, make("p", "nothing", view.reason)];
    const article = make("article", "gist", make("div", "sides", ...["reference", "answer"].map((side) => sideOf(side, view, sample, lang))), legend());
    if (view.unplaced.length) {
      const list = make("ul", "listed", ...view.unplaced.map(([kind, content, why]) => make("li", "", inLanguage(lang, make("mark", kind, content)), why && ` ${why}`)));
      article.append(make("h4", "", words.unplaced), list);
    }
    if (view.faults.length) {
      article.append(make("details", "", make("summary", "", words.faults), make("ul", "listed", ...view.faults.map((fault) => make("li", "", fault)))));
    }
    return [title, article];
  }

  function sideOf(side, view, sample, lang) {
    const source = side === "answer" ? sample.answer : sample.references?.[0];
    const content = source ? inLanguage(lang, make("p", "side", marked(view[side], view.units, side === "reference"))) : make("p", "nothing", `(${source === "" ? words.empty : words.none})`);
    return make("div", "", make("h4", "", words[side]), content);
  }

  function legend() {
    const made = document.getElementById("gist-legend").cloneNode(true);
    made.removeAttribute("id");
    made.hidden = false;
    return made;
  }

  function talk(dialogue, lang) {
    const grid = make("div", "talk");
    for (const [turn, who, content, kind, grade, seconds] of dialogue.rows) {
      const opens = who === "asks" ? " opens" : "";
      const margin = opens ? named(words.turn, { turn }) : grade === null ? "" : String(Math.round(100 * grade) / 100);
      const said = inLanguage(lang, make("span", `text ${kind}${opens}`, search.marked(content)));
      if (seconds !== null) said.append(make("span", "who", `  (${named(words.seconds, { seconds: seconds.toFixed(1) })})`));
      grid.append(make("span", `margin${opens}`, margin), make("span", `who${opens}`, words[who] ?? who), said);
    }
    const grades = dialogue.grades.map((grade) => Math.round(100 * grade) / 100).join(", ");
    const ended = [named(words.ended, { ended: dialogue.ended }), dialogue.reason, grades && named(words.grades, { grades: `[${grades}]` })].filter(Boolean).join(" · ");
    return [make("h3", "", words.dialogue), make("p", "where", ended), grid];
  }

  return { question, references, answer, block, isPlain, drawn };
}
