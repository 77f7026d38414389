/* The contexts and the evidence of an opened answer, with the passages behind the verdicts marked. */
function answerPassages({ support, search, elements, words }) {
  const { make, named, inLanguage } = elements;
  const STRONGEST = ["needed", "quoted", "similar"];
  const OPEN = 3000; /* Maximum characters that are shown unfolded. */

  function list(title, found, lang, content, open) {
    const items = found.map((text, at) => make("li", "", ...content(text, at)));
    const made = make("details", "", make("summary", "", `${title} (${found.length})`), found.length ? make("ol", "passages", ...items) : make("p", "nothing", `(${words.empty})`));
    made.open = found.length > 0 && (open || found.join("").length < OPEN);
    made.lang = document.documentElement.lang;
    return made;
  }

  const plain = (lang) => (text) => [inLanguage(lang, make("p", "said", search.marked(text)))];

  function contexts(sample, lang) {
    const { passages, useful } = support.of(sample, lang);
    const content = (text, at) => {
      const own = passages.filter((passage) => passage.at === at);
      return [useful.has(at) && judged(useful.get(at)), inLanguage(lang, make("p", "said", ...support.pieces(text, own).map(([piece, over]) => passage(piece, over))))];
    };
    const made = list(words.contexts, sample.contexts, lang, content, passages.length > 0);
    const kinds = STRONGEST.filter((kind) => passages.some((each) => each.kind === kind));
    if (kinds.length) made.querySelector("summary").after(make("ul", "kinds", ...kinds.map((kind) => make("li", "", make("mark", kind, words[`passage_${kind}`]), ` ${words[`about_passage_${kind}`]}`))));
    return made;
  }

  const judged = ({ metric, whether }) => make("p", `judged ${whether ? "yes" : "no"}`, `${whether ? "✓" : "✗"} ${named(whether ? words.context_useful : words.context_useless, { metric })}`);

  function passage(text, over) {
    const kind = STRONGEST.find((each) => over.some((passage) => passage.kind === each));
    if (!kind) return search.marked(text);
    const made = make("mark", kind, search.marked(text));
    made.title = [...new Set(over.map((each) => named(words[`because_${each.kind}`], { about: each.about })))].join("\n");
    return made;
  }

  /* `chosen`: the answer beside, whose equal passages are not repeated. */
  function of(sample, lang, chosen = null) {
    const equal = (kind) => chosen && JSON.stringify(sample[kind] ?? null) === JSON.stringify(chosen[kind] ?? null);
    return ["contexts", "evidence"].filter((kind) => sample[kind]).map((kind) => {
      if (equal(kind)) return make("p", "nothing", named(words.equal_passages, { kind: words[kind], n: sample[kind].length }));
      return kind === "contexts" ? contexts(sample, lang) : list(words.evidence, sample.evidence, lang, plain(lang));
    });
  }

  const before = (texts, lang) => list(words.history, texts, lang, plain(lang));

  return { of, before };
}
