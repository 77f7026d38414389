/* An opened answer in a drawer at the side: in full, or next to the other answers to its question.

   Left and right go to the previous and the next question of the matrix, with Shift to the previous and the next system;
   Escape returns to the cell. */
function openedAnswer({ index, table, data, texts, scores, passages, elements, words, grading }, { place, step, choose, onClose }) {
  const { make, named } = elements;
  const COLUMNS = 12; /* Maximum answers side by side. */
  let showing = -1;

  const element = make("dialog", "sample");
  element.setAttribute("aria-labelledby", "sample-id");
  const where = make("span", "place");
  const [before, after, close] = [words.previous, words.next, words.close].map((text) => make("button", "", text));
  close.classList.add("close");
  const full = make("div", "body");
  element.append(make("div", "top", before, after, where, close), full);
  close.addEventListener("click", () => element.close());
  before.addEventListener("click", () => step(-1, 0));
  after.addEventListener("click", () => step(1, 0));
  element.addEventListener("click", (event) => event.target === element && element.close());
  element.addEventListener("close", () => {
    const number = showing;
    showing = -1;
    onClose(number);
  });
  element.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.target.matches("input, textarea, select") || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (event.shiftKey) step(0, by);
    else step(by, 0);
  });

  /* Show an answer first, and then those of `beside`; `all`: how many answers there are to the question. */
  async function show(number, beside, all) {
    showing = number;
    const numbers = [number, ...beside.filter((other) => other !== number)].slice(0, COLUMNS);
    const samples = (await Promise.all(numbers.map((each) => data.sample(index, each)))).map(grading.visible);
    if (showing !== number) return;
    const { at, of } = place(number);
    where.textContent = at < 0 ? "" : named(words.place, { at: at + 1, of });
    before.disabled = at <= 0;
    after.disabled = at < 0 || at >= of - 1;
    element.classList.toggle("wide", numbers.length > 1);
    const more = all - numbers.length;
    full.replaceChildren(...titleOf(number), ...(numbers.length > 1 ? sideBySide(numbers, samples, more) : inFull(number, samples[0])));
    if (!element.open) element.showModal();
    element.scrollTop = 0;
  }

  function titleOf(number) {
    const heading = make("h2", "", index.id[number] || "–");
    heading.id = "sample-id";
    heading.tabIndex = -1;
    const parts = [index.runs.length > 1 && index.runs[index.run[number]], table.nameOf("system", number), table.nameOf("group", number)];
    return [heading, make("p", "where", parts.filter(Boolean).join(" · "))];
  }

  const controls = (number) => make("div", "grading", grading.controls(number));

  /* A column per answer, the chosen one first, below the question and the reference. Answers, and then the scores of each
     metric, are aligned across the columns. */
  function sideBySide(numbers, samples, more) {
    const [sample] = samples;
    const lang = table.langOf(numbers[0]);
    const found = samples.map((one) => new Map(one.scores ?? []));
    const metrics = index.metrics.map((_, at) => at).filter((at) => found.some((one) => one.has(at)));
    const grid = make("div", "side-by-side", ...numbers.map((_, at) => columnOf(at, numbers, samples, metrics, found)));
    grid.style.setProperty("--rows", metrics.length + 3);
    return [
      ...texts.question(sample, lang),
      ...texts.references(sample, lang),
      make("h3", "", words.beside),
      grid,
      more > 0 && make("p", "nothing", named(words.more_beside, { n: more })),
    ].filter(Boolean);
  }

  function columnOf(at, numbers, samples, metrics, found) {
    const [number, own, first] = [numbers[at], samples[at], at ? samples[0] : null];
    const lang = table.langOf(number);
    const answer = make("div", "", ...texts.answer(own, lang), controls(number));
    if (first && JSON.stringify(own.references) !== JSON.stringify(first.references)) answer.append(...texts.references(own, lang));
    const column = make("article", "column", headOf(number, numbers), answer, ...metrics.map((metric) => {
      const one = found[at].get(metric);
      if (!one) return make("p", "nothing", `${index.metrics[metric].name}: –`);
      return scores.score(index.metrics[metric], one, lang, at ? found[0].get(metric) : undefined);
    }), make("div", "", ...passages.of(own, lang, first)));
    column.setAttribute("aria-labelledby", `column-${number}`);
    return column;
  }

  /* What distinguishes a column: run, system, and the id if it differs in more than its end, @SYSTEM. */
  function headOf(each, numbers) {
    const [number] = numbers;
    const runs = new Set(numbers.map((other) => index.run[other]));
    const parts = [runs.size > 1 && index.runs[index.run[each]], table.nameOf("system", each)].filter(Boolean);
    if (table.bareId(each) !== table.bareId(number) || !parts.length) parts.push(index.id[each] || "–");
    const title = make("h3", "", parts.join(" · "));
    title.id = `column-${each}`;
    if (each === number) return make("header", "is-chosen", title, make("span", "", words.chosen));
    const button = make("button", "", words.choose);
    button.setAttribute("aria-describedby", title.id);
    button.addEventListener("click", () => choose(each));
    return make("header", "", title, button);
  }

  function inFull(number, sample) {
    const lang = table.langOf(number);
    const answer = texts.isPlain(sample)
      ? [make("div", "pair", make("div", "", ...texts.answer(sample, lang), controls(number)), make("div", "", ...texts.references(sample, lang)))]
      : [...texts.answer(sample, lang), controls(number), ...texts.references(sample, lang, texts.drawn(sample) || sample.dialogue ? 1 : 0)].filter(Boolean);
    const judged = (sample.scores ?? []).map(([metric, one]) => scores.score(index.metrics[metric], one, lang));
    return [...texts.question(sample, lang), ...answer, ...(judged.length ? [make("h3", "", words.scores), ...judged] : []), ...passages.of(sample, lang)];
  }

  return { element, show, showing: () => showing, close: () => element.close(), toHeading: () => full.querySelector("#sample-id")?.focus({ preventScroll: true }) };
}
