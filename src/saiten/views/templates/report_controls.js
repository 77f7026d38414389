/* The filters of the matrix, and the differences between its columns. `change(part, field)` gets the changed part of the
   view, and the name of the field if a person is typing in it. */
function answerControls({ index, views, selection, elements, words, statuses, grading }, change) {
  const { make, named, field, fill, tick } = elements;
  const refreshers = [];
  const CLEARED = { q: "", regex: "", run: "", system: "", group: "", language: "", status: "", metric: "", from: "", to: "", graded: "", show: "", least: "" };

  /* A menu for a part of the view; its options may depend on the rest. Without a choice it is hidden. */
  function menu(name, text, optionsOf) {
    const select = make("select");
    const label = field(text, select);
    select.addEventListener("input", () => change({ [name]: select.value }));
    refreshers.push((view) => {
      const options = optionsOf(view);
      fill(select, options);
      select.value = view[name];
      if (select.selectedIndex < 0) select.selectedIndex = 0;
      label.hidden = options.length < 2;
    });
    return label;
  }

  function input(name, text, type) {
    const made = make("input");
    made.type = type;
    if (type === "number") made.step = "any";
    onTyping(made, index.count, () => change({ [name]: made.value }, name));
    refreshers.push((view) => {
      if (made.value !== view[name]) made.value = view[name];
    });
    return [field(text, made), made];
  }

  const all = ["", words.all];
  const names = (list) => list.map((name) => [name, name]);
  const [searching, search] = input("q", words.search, "search");
  const [asPattern, regex] = tick(words.regex);
  regex.addEventListener("input", () => change({ regex: regex.checked ? "yes" : "" }));
  refreshers.push((view) => (regex.checked = view.regex !== ""));
  const fault = make("p", "fault");
  fault.id = "search-fault";
  fault.setAttribute("role", "alert");
  const count = make("output");
  const reset = make("button", "plain", words.reset);
  reset.addEventListener("click", () => change(CLEARED));

  const filters = make(
    "div",
    "filters",
    searching,
    asPattern,
    menu("run", words.of_run, () => views.runChoices.map(({ value, title }) => [value, title])),
    menu("system", words.system, (view) => [all, ...names([...new Set(views.eligible({ ...view, system: "" }).map(({ system }) => system).filter(Boolean))])]),
    menu("group", words.group, () => [all, ...names(index.group.names)]),
    menu("language", words.language, () => (index.language.names.length > 1 ? [all, ...names(index.language.names)] : [all])),
    menu("status", words.status, () => [all, ...statuses.map((status, at) => [String(at), status])]),
    menu("metric", words.metric, (view) => [all, ...names(views.measured(view).map((at) => index.metrics[at].name))]),
    input("from", words.from, "number")[0],
    input("to", words.to, "number")[0],
    grading && menu("graded", words.graded, () => [all, ["yes", words.graded_yes], ["no", words.graded_no]]),
    reset,
    count,
  );
  filters.setAttribute("role", "search");

  /* The differences between two columns. */
  const comparable = (view) => selection.comparable(views.columns(view));
  const columnNames = (view) => names(views.columns(view).map(({ name }) => name));
  const metricOf = (view) => index.metrics[views.metricNamed(view.difference)] ?? index.metrics[comparable(view)[0]];
  function kinds(view) {
    const either = [["", words.all], ["differs", words.differ]];
    if (!view.of && !view.against) return either;
    const higher = metricOf(view)?.higher ?? null;
    return [...either, ["better", higher === null ? words.is_higher : words.is_better], ["worse", higher === null ? words.is_lower : words.is_worse]];
  }
  const pairing = make(
    "div",
    "filters pairing",
    menu("difference", words.difference_in, (view) => names(comparable(view).map((at) => index.metrics[at].name))),
    menu("of", words.difference_of, (view) => [["", words.any_column], ...columnNames(view)]),
    menu("against", words.against, (view) => [["", words.no_baseline], ...columnNames(view)]),
    menu("show", words.rows_shown, kinds),
    input("least", words.least, "number")[0],
  );
  pairing.setAttribute("role", "group");
  pairing.setAttribute("aria-label", words.differences);

  function show(view) {
    pairing.hidden = comparable(view).length === 0;
    for (const refresh of refreshers) refresh(view);
  }

  /* Say how many rows there are, or how far a search is; a pattern's fault is said next to its field. */
  const say = (text) => (count.textContent = text);
  const counted = (shown, of) => say(named(words.counted, { shown, all: of }));
  function blame(text) {
    fault.textContent = text;
    search.toggleAttribute("aria-invalid", text !== "");
    if (text) search.setAttribute("aria-describedby", fault.id);
    else search.removeAttribute("aria-describedby");
  }

  return { element: make("div", "", filters, fault, pairing), show, say, counted, blame, toSearch: () => search.focus() };
}
