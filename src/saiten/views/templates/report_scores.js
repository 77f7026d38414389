/* A score of an opened answer: value, difference, reason, statements with verdicts, raw reply, cost. */
function answerScores({ figures, search, elements, words }) {
  const { make, named, inLanguage } = elements;
  const SIGNS = { yes: "✓", no: "✗", unclear: "?", item: "·" };

  /* `chosen`: the same metric's score of the answer that this one is compared with. */
  function score(metric, one, lang, chosen) {
    const made = make("section", "score", heading(metric, one, chosen));
    if (one.reason) made.append(inLanguage(lang, make("p", "", search.marked(one.reason))));
    const lines = (one.lines ?? []).filter(([, kind]) => kind !== "rest");
    if (lines.length) made.append(make("ul", "", ...lines.map((line) => lineOf(line, lang))));
    const rest = (one.lines ?? []).filter(([, kind]) => kind === "rest");
    for (const [, , content] of rest) made.append(make("details", "", make("summary", "", words.details), make("pre", "raw", content)));
    if (one.raw) made.append(make("details", "", make("summary", "", words.raw), make("pre", "raw", one.raw)));
    if (one.usage) made.append(usage(one.usage));
    return made;
  }

  function heading(metric, one, chosen) {
    const measured = one.status === "ok";
    const title = make("h4", "", metric.name, make("span", measured ? "value" : "not-ok", measured ? figures.shown(one.value) : words[one.status]));
    if (measured && chosen?.status === "ok") {
      const gap = figures.gap(one.value, chosen.value);
      const way = figures.way(metric, gap);
      title.append(make("span", `apart ${way}`, figures.signed(gap), way && ` ${words[way]}`));
    }
    if (one.expected !== undefined) title.append(make("span", "votes", `${words.expected} ${figures.shown(one.expected)}`));
    if (one.votes) title.append(make("span", "votes", `${words.votes} ${one.votes.map((vote) => (vote === null ? "–" : figures.shown(vote))).join(", ")}`));
    return title;
  }

  function lineOf([depth, kind, content, reason], lang) {
    const sign = make("span", "sign", SIGNS[kind] ?? "");
    if (words[kind] && SIGNS[kind] && kind !== "item") {
      sign.setAttribute("role", "img");
      sign.setAttribute("aria-label", words[kind]);
    }
    const said = make("span", "", kind === "evidence" && `${words.evidence}: `, search.marked(content), reason && make("span", "why", search.marked(reason)));
    return inLanguage(lang, make("li", `${kind} deeper-${Math.min(depth, 3)}`, sign, said));
  }

  function usage([calls, prompt, cached, completion, cost, unpriced, reused]) {
    return make("p", "usage", named(cached ? words.usage_cached : words.usage, { calls, prompt, cached, completion, reused, cost: unpriced && !cost ? words.unknown : cost.toFixed(4) }));
  }

  return { score };
}
