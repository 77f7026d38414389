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

  function reference(row) {
    const all = [...row.cells.values()].map(beginnings.of);
    if (all.includes(null)) return null;
    const text = all.map((begins) => begins[1]).find(Boolean);
    return [text ? inLanguage(table.langOf(row.first), make("div", "begins", search.marked(text))) : make("div", "nothing", "–")];
  }

  /* The cell of an answer; null while its beginning is being unpacked. `base`: the answer to compare it with, if any. */
  function answer(number, scores, base) {
    const begins = beginnings.of(number);
    const marks = make("div", "marks", ...scores.map((at) => mark(at, number, base)));
    const graded = grading?.mark(number) ?? null;
    if (begins === null) return null;
    const text = begins[0] ? inLanguage(table.langOf(number), make("div", "begins", search.marked(begins[0]))) : make("div", "nothing", `(${words.empty})`);
    return [marks, graded, text];
  }

  /* A score as a small mark: name, figure, a bar, and the difference from the baseline. */
  function mark(at, number, base) {
    const { name, values, statuses: found } = index.metrics[at];
    const value = values[number];
    const made = make("span", "mark", make("span", "name", name));
    if (value === null) {
      const why = found[number] === "-" ? "–" : statuses[found[number]];
      made.classList.add("other");
      made.append(make("span", "figure", why));
      made.title = `${name}: ${why}`;
      return made;
    }
    const third = figures.third(at, value);
    if (third) made.classList.add(third);
    made.append(make("span", "figure", figures.shown(value)), gap(at, value, base) ?? "");
    made.style.setProperty("--share", `${100 * (figures.share(at, value) ?? 0)}%`);
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
      const button = make("button", "", make("span", "name", name), make("span", "figure", value), make("span", "n", named(words.measured_of, found)));
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
