/* The cells of the matrix: a question, a reference, an answer's beginning with its scores, and the heads. */
function answerCells({ index, table, figures, beginnings, search, elements, words, statuses, grading }) {
  const { make, named, inLanguage } = elements;

  function question(row) {
    const number = row.first;
    const where = [table.bareId(number) || "–", table.nameOf("group", number), table.nameOf("language", number)].filter(Boolean).join(" · ");
    const meta = make("div", "meta", search.marked(where));
    meta.title = where;
    return [inLanguage(table.langOf(number), make("div", "begins", search.marked(table.nameOf("question", number)))), meta];
  }

  /* What fits into a cell of a beginning, in its language. */
  function fitting(text, longest, number) {
    const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
    return inLanguage(table.langOf(number), make("div", "begins", search.marked(shown)));
  }

  function reference(row, longest) {
    const all = [...row.cells.values()].map(beginnings.of);
    if (all.includes(null)) return null;
    const text = all.map((begins) => begins[1]).find(Boolean);
    return [text ? fitting(text, longest, row.first) : make("div", "nothing", "–")];
  }

  /* The cell of an answer; null while its beginning is being unpacked. `base`: the answer to compare it with, if any. */
  function answer(number, scores, base, longest) {
    const begins = beginnings.of(number);
    if (begins === null) return null;
    const marks = make("div", "marks", ...scores.map((at) => mark(at, number, base)));
    const text = begins[0] ? fitting(begins[0], longest, number) : make("div", "nothing", `(${words.empty})`);
    return [marks, grading.mark(number), reasonOf(number, scores, begins[2]), text];
  }

  /* The beginning of the reason of the first score that is low or missing. */
  function reasonOf(number, scores, reasons) {
    const [at, reason] = scores.filter(wanting(number)).map((place) => [place, new Map(reasons).get(place)]).find(([, text]) => text) ?? [];
    if (!reason) return null;
    return inLanguage(table.langOf(number), make("div", "reason", make("span", "", figures.short(at)), search.marked(reason)));
  }
  function wanting(number) {
    return (at) => {
      const value = index.metrics[at].values[number];
      return value === null ? table.has(index.metrics[at], number) : figures.third(at, value) === "bad";
    };
  }

  /* A score as a small mark: name, figure, a bar, and the difference from the baseline. */
  function mark(at, number, base) {
    const { name, values, statuses: found } = index.metrics[at];
    const value = values[number];
    const made = make("div", "mark", figures.short(at), " ");
    if (value === null) {
      const why = found[number] === "-" ? "–" : statuses[found[number]];
      made.classList.add("other");
      made.append(make("span", "figure", why));
      made.title = `${name}: ${why}`;
      return made;
    }
    const third = figures.third(at, value);
    if (third) made.classList.add(third);
    const bar = make("span", "bar");
    bar.style.width = `${100 * (figures.share(at, value) ?? 0)}%`;
    made.append(make("span", "figure", figures.shown(value), gap(at, value, base)), bar);
    made.title = `${name}: ${figures.shown(value)}${third ? ` · ${words[`third_${third}`]}` : ""}`;
    return made;
  }

  function gap(at, value, base) {
    const other = base === undefined ? null : index.metrics[at].values[base];
    if (other === null) return null;
    const difference = figures.gap(value, other);
    return make("span", `apart ${figures.way(index.metrics[at], difference)}`, figures.signed(difference));
  }

  /* The head of a column: its name, and the mean of each metric over the rows shown, by which it sorts. */
  function head(column, scores, { rows, mean }, { onSort, sorting, baseline }) {
    const title = make("div", "title", column.title);
    title.title = column.name;
    const buttons = scores.map((at) => {
      const { name } = index.metrics[at];
      const found = mean(rows, column, at);
      const value = found.mean === null ? "–" : figures.shown(found.mean);
      const button = make("button", "", make("span", "name", name), make("span", "figure", value), make("span", "n", named(found.n === found.of ? words.measured_all : words.measured_of, found)));
      button.tabIndex = -1;
      button.title = `${name}: ${words.sort}`;
      if (sorting?.by === name) button.classList.add(sorting.way);
      button.addEventListener("click", () => onSort(column, name));
      return button;
    });
    const below = [column.below, baseline && words.baseline].filter(Boolean).join(" · ");
    return [title, below && make("div", "meta", below), make("div", "means", ...buttons)];
  }

  const counted = (rows, of) => named(rows === of ? words.means_all : words.means_shown, { rows, of });

  return { question, reference, answer, head, counted };
}
