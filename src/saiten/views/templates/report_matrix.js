/* The matrix with its filters: the view, the rows that it selects, and the parts of the page that show them.

   `onOpen(number)`: an answer is to be opened; `onChange(view, field)`: a person changed the view, in a field by typing. */
function answerMatrix({ index, table, figures, views, cells, search, elements, words, statuses, grading }, { onOpen, onChange }) {
  const { make, named } = elements;
  const selection = answerSelection({ index, table, views, figures, grading });
  const keys = answerKeys({ elements, words }, () => controls.toSearch());
  const controls = answerControls({ index, views, selection, elements, words, statuses }, change);
  const shaping = answerShaping({ index, views, elements, words }, change, keys.show, ...controls.more);
  const grid = answerGrid({ elements, cells, words }, { onOpen, onSort: sortBy });
  const single = singleSystem({ elements, words }, draw);
  const nobody = make("p", "nobody", words.nobody);

  let view = views.fromAddress("");
  let selected = selection.select(view, null);

  function change(part, field = null) {
    view = { ...view, ...part };
    onChange(views.toAddress(view), field);
    return refresh();
  }

  /* Show the view that an address describes. */
  function show(text) {
    view = views.fromAddress(text);
    return refresh();
  }

  async function refresh() {
    try {
      search.ask(view.q, view.regex !== "");
    } catch (error) {
      controls.show(view);
      return controls.blame(named(words.no_pattern, { why: error.message }));
    }
    controls.blame("");
    const hits = await search.find(controls.say);
    if (hits === undefined) return undefined;
    selected = selection.select(view, hits);
    controls.show(view);
    shaping.show(view);
    controls.counted(selected.rows.length, selected.of);
    nobody.hidden = selected.rows.length > 0;
    return draw();
  }

  function draw() {
    const narrow = grid.isNarrow();
    single.show(selected.columns, narrow);
    grid.show({
      ...selected,
      columns: narrow ? single.of(selected.columns) : selected.columns,
      baseline: selected.columns.find(({ name }) => name === view.against) ?? null,
      sorting: sortingOf(),
      filtered: selected.rows.length < selected.of,
      scores: views.scores(view),
      height: view.height,
      reference: view.reference !== "" && !narrow,
    });
  }

  /* By a metric of a column, or as the questions' head says it. */
  function sortingOf() {
    if (view.sort === "score") return { column: views.columnNamed(view.in), by: view.by, way: view.way };
    return { first: { id: "ascending", group: "other", gap: "other" }[view.sort] };
  }

  /* Sort by a metric of a column: first the highest, then the lowest, then as they came. */
  function sortBy(column, name) {
    const same = view.sort === "score" && view.by === name && view.in === column.name;
    if (same && view.way === "lowest") return change({ sort: "", by: "", in: "", way: "" });
    return change({ sort: "score", by: name, in: column.name, way: same ? "lowest" : "highest" });
  }

  const rowOf = (number) => table.rows[table.rowOf[number]];
  const shownIn = (row) => selected.columns.map((column) => row.cells.get(column.at)).filter((each) => each !== undefined);

  /* The answers beside one, in the order of the columns; all to the question, if it is in none of the columns. */
  function besides(number) {
    const found = shownIn(rowOf(number));
    return found.includes(number) ? found : [...rowOf(number).cells.values()];
  }

  const answersTo = (number) => rowOf(number).cells.size;
  const place = (number) => ({ at: selected.rows.indexOf(rowOf(number)), of: selected.rows.length });

  /* The answer some questions, or else some systems, further on. */
  function further(number, questions, systems) {
    if (systems) return besides(number)[besides(number).indexOf(number) + systems];
    const { at } = place(number);
    const row = at < 0 ? undefined : selected.rows[at + questions];
    return row && (row.cells.get(table.columnOf[number]) ?? shownIn(row)[0]);
  }

  /* Make the cell of an answer the active one; without a cell the active one stays. */
  function goTo(number, focus = false) {
    const { at } = place(number);
    if (at >= 0) grid.goTo(at, table.columns[table.columnOf[number]], focus);
    else if (focus) grid.focus();
  }

  grading.onChange((number) => grid.fillIn((row) => row === rowOf(number)));

  return {
    elements: [controls.element, shaping.element, single.element, grid.element, nobody],
    keys: keys.element,
    address: () => views.toAddress(view),
    show, besides, answersTo, place, further, goTo, fillIn: () => grid.fillIn(),
  };
}
