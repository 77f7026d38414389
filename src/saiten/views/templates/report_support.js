/* The passages of the contexts that the judge decided on or quoted, or that are most similar to a supported statement.

   The judge's own words come first: a sentence it picked as needed, a quotation in the reason of a verdict. Only if it
   quoted nothing is the most similar sentence looked for, and that is called similar, not support. */
function contextSupport({ index }) {
  const QUOTED = 8; /* Minimum characters of a quotation that is looked for. */
  const SIMILAR = [0.6, 3]; /* Minimum share of a statement's words that a sentence has, and their minimum number. */
  const QUOTES = /「([^「」]+)」|『([^『』]+)』|“([^“”]+)”|"([^"]+)"|‘([^‘’]+)’/gu;

  const segments = (text, lang, granularity) => [...new Intl.Segmenter(lang, { granularity }).segment(text)];

  /* The words that carry a text, without particles and short function words. */
  function wordsOf(text, lang) {
    const found = segments(text, lang, "word").filter(({ isWordLike }) => isWordLike).map(({ segment }) => folded(segment));
    return new Set(found.filter((word) => !/^\p{sc=Hiragana}{1,2}$/u.test(word) && !/^[a-z]{1,3}$/u.test(word)));
  }

  function sentencesOf(contexts, lang) {
    return contexts.flatMap((context, at) => segments(context, lang, "sentence").map(({ segment, index: from }) => {
      const lead = segment.length - segment.trimStart().length;
      return { at, from: from + lead, to: from + segment.trimEnd().length, words: wordsOf(segment, lang) };
    }));
  }

  /* Where a text stands word by word in a context. */
  function places(contexts, text, only = null) {
    return contexts.flatMap((context, at) => {
      const from = only === null || only === at ? context.indexOf(text) : -1;
      return from < 0 ? [] : [{ at, from, to: from + text.length }];
    });
  }

  const quotations = (reason) => [...reason.matchAll(QUOTES)].map((found) => found.slice(1).find(Boolean).trim()).filter((text) => text.length >= QUOTED);

  function mostSimilar(statement, sentences, lang) {
    const wanted = wordsOf(statement, lang);
    let best = null;
    for (const sentence of sentences) {
      const common = [...wanted].filter((word) => sentence.words.has(word)).length;
      if (common >= SIMILAR[1] && common / wanted.size >= SIMILAR[0] && (best === null || common > best.common)) best = { ...sentence, common };
    }
    return best;
  }

  /* {passages: [{at, from, to, kind, about}], useful: Map of context → whether useful}. `kind`: needed, quoted, similar. */
  function of({ contexts = [], scores = [] }, lang) {
    const [passages, useful] = [[], new Map()];
    let sentences = null;
    for (const [place, { passages: judged, lines = [] }] of scores) {
      const metric = index.metrics[place].name;
      for (const [number, whether] of judged?.useful ?? []) useful.set(number - 1, { metric, whether });
      for (const [number, text] of judged?.needed ?? []) passages.push(...places(contexts, text, number - 1).map((found) => ({ ...found, kind: "needed", about: metric })));
      if (!judged?.verified) continue;
      for (const [, kind, statement, reason] of lines) {
        if (!["yes", "no", "unclear"].includes(kind)) continue;
        const quoted = quotations(reason).flatMap((text) => places(contexts, text));
        passages.push(...quoted.map((found) => ({ ...found, kind: "quoted", about: statement })));
        if (quoted.length || kind !== "yes") continue;
        sentences ??= sentencesOf(contexts, lang);
        const found = mostSimilar(statement, sentences, lang);
        if (found) passages.push({ at: found.at, from: found.from, to: found.to, kind: "similar", about: statement });
      }
    }
    return { passages, useful };
  }

  /* A context in pieces [text, passages that cover it]. */
  function pieces(text, passages) {
    const ends = [...new Set([0, text.length, ...passages.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
    return ends.slice(1).map((to, at) => [text.slice(ends[at], to), passages.filter((passage) => passage.from <= ends[at] && passage.to >= to)]);
  }

  return { of, pieces };
}
