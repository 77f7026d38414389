/* The filters of the matrix: search, what to look at first, runs and systems, and two panels with everything else.
   `change(part, field)` gets the changed part of the view, and the name of the field if a person is typing in it. */
function answerControls({ index, views, selection, elements, words, statuses }, change) {
  const { make, named, field, fill, tick } = elements;
  const ANSWERS = ["group", "language", "status", "metric", "from", "to", "graded"];
  const DIFFERENCES = ["difference", "of", "show", "least"];
  const CLEARED = Object.fromEntries(["q", "regex", "only", "run", "system", ...ANSWERS, ...DIFFERENCES].map((name) => [name, ""]));
  const refreshers = [];

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
    let told = ""; /* Letters typed since then are not in the view yet, and stay. */
    onTyping(made, index.count, () => {
      told = made.value;
      change({ [name]: told }, name);
    });
    refreshers.push((view) => {
      if (view[name] !== told) made.value = told = view[name];
    });
    return [field(text, made), made];
  }

  /* Which questions to look at: one of them is on. */
  function presets() {
    const group = make("div", "presets");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", words.rows_shown);
    for (const only of selection.PRESETS) {
      const count = make("span", "n");
      const button = make("button", "plain", words[`only_${only || "all"}`], " ", count);
      button.addEventListener("click", () => change({ only }));
      group.append(button);
      refreshers.push((view) => {
        button.setAttribute("aria-pressed", view.only === only);
        count.textContent = selection.countOf(view, only);
      });
    }
    return group;
  }

  /* A panel of fields; its button says how many of the named parts of the view are set. */
  function panel(title, names, ...content) {
    const made = popover(elements, ...content);
    refreshers.push((view) => {
      const set = names.filter((name) => view[name] !== "").length;
      made.name(set ? `${title} (${set})` : title);
    });
    return made.element;
  }

  const all = ["", words.all];
  const names = (list) => list.map((name) => [name, name]);
  const comparable = (view) => selection.comparable(views.columns(view));
  const columnNames = (view) => names(views.columns(view).map(({ name }) => name));
  const several = (view, first) => (views.columns(view).length > 1 ? [first, ...columnNames(view)] : [first]);

  function kinds(view) {
    if (!view.of && !view.against) return [all];
    const { higher } = index.metrics[selection.metricOf(view)] ?? { higher: null };
    return [all, ["better", higher === null ? words.is_higher : words.is_better], ["worse", higher === null ? words.is_lower : words.is_worse]];
  }

  const [searching, search] = input("q", words.search, "search");
  const [asPattern, regex] = tick(words.regex);
  regex.addEventListener("input", () => change({ regex: regex.checked ? "yes" : "" }));
  refreshers.push((view) => (regex.checked = view.regex !== ""));
  const count = make("output");
  const reset = make("button", "plain", words.reset);
  reset.addEventListener("click", () => change(CLEARED));
  const fault = make("p", "fault");
  fault.id = "search-fault";
  fault.setAttribute("role", "alert");

  const ofAnswers = panel(
    words.filters,
    ANSWERS,
    menu("group", words.group, () => [all, ...names(index.group.names)]),
    menu("language", words.language, () => (index.language.names.length > 1 ? [all, ...names(index.language.names)] : [all])),
    menu("status", words.status, () => [all, ...statuses.map((status, at) => [String(at), status])]),
    menu("metric", words.metric, (view) => [all, ...names(views.measured(view).map((at) => index.metrics[at].name))]),
    input("from", words.from, "number")[0],
    input("to", words.to, "number")[0],
    menu("graded", words.graded, () => [all, ["yes", words.graded_yes], ["no", words.graded_no]]),
  );
  const differences = panel(
    words.differences,
    DIFFERENCES,
    menu("difference", words.difference_in, (view) => names(comparable(view).map((at) => index.metrics[at].name))),
    menu("of", words.difference_of, (view) => several(view, ["", words.any_column])),
    menu("show", words.rows_shown, kinds),
    input("least", words.least, "number")[0],
  );
  const columns = [
    menu("run", words.of_run, () => views.runChoices.map(({ value, title }) => [value, title])),
    menu("system", words.system, (view) => [all, ...names([...new Set(views.eligible({ ...view, system: "" }).map(({ system }) => system).filter(Boolean))])]),
    menu("against", words.against, (view) => several(view, ["", words.no_baseline])),
  ];

  const line = make("div", "filters", searching, asPattern, presets(), reset, count);
  line.setAttribute("role", "search");

  function show(view) {
    differences.hidden = comparable(view).length === 0;
    for (const refresh of refreshers) refresh(view);
  }

  /* Say how many rows there are, or how far a search is; a pattern's fault is said next to its field. */
  const say = (text) => (count.textContent = text);
  const counted = (shown, of) => say(named(words.counted, { shown, all: of }));
  function blame(text) {
    fault.textContent = text;
    if (text) search.setAttribute("aria-invalid", "true");
    else search.removeAttribute("aria-invalid");
    if (text) search.setAttribute("aria-describedby", fault.id);
    else search.removeAttribute("aria-describedby");
  }

  return { element: make("div", "", line, fault), more: [...columns, ofAnswers, differences], show, say, counted, blame, toSearch: () => search.focus() };
}
