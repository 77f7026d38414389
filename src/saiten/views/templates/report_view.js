/* The view of the matrix: filters, order, columns, metrics. Its parts are texts, so that an address can hold them. */
function answerView({ index, table, words }) {
  const MOST_COLUMNS = 12;
  const MARKS = 4; /* Metrics that are shown unless others are chosen. */
  const DEFAULTS = {
    q: "", regex: "", only: "", run: "", system: "", group: "", language: "", status: "", metric: "", from: "", to: "", graded: "",
    difference: "", of: "", against: "", show: "", least: "", sort: "", by: "", in: "", way: "",
    columns: [], scores: [], height: "normal", reference: "",
  };
  const nameOf = index.runs;
  const families = table.families.map((runs) => ({ runs, name: runs.map((run) => nameOf[run]).join(" · ") }));

  /* Runs that are shown together, and each of them alone. */
  const runChoices = families.flatMap(({ runs, name }, at) => [
    { value: at ? name : "", title: families.length === 1 && runs.length > 1 ? words.all : name, runs },
    ...(runs.length > 1 ? runs.map((run) => ({ value: nameOf[run], title: nameOf[run], runs: [run] })) : []),
  ]);

  const runsOf = (view) => (runChoices.find(({ value }) => value === view.run) ?? runChoices[0]).runs;

  /* The columns to choose from, in the chosen order. */
  function eligible(view) {
    const runs = new Set(runsOf(view));
    const all = table.columns.filter((column) => runs.has(column.run) && (!view.system || column.system === view.system));
    const place = (column) => (view.columns.includes(column.name) ? view.columns.indexOf(column.name) : Infinity);
    return all.sort((a, b) => place(a) - place(b) || a.at - b.at);
  }

  function columns(view) {
    const all = eligible(view);
    const chosen = all.filter((column) => view.columns.includes(column.name));
    return (chosen.length ? chosen : all).slice(0, MOST_COLUMNS);
  }

  /* The places of the metrics that any of the columns has scores of. */
  function measured(view) {
    const found = new Set(columns(view).flatMap((column) => [...table.measured[column.at]]));
    return index.metrics.map((_, at) => at).filter((at) => found.has(at));
  }

  function scores(view) {
    const all = measured(view);
    const chosen = all.filter((at) => view.scores.includes(index.metrics[at].name));
    return chosen.length ? chosen : all.slice(0, MARKS);
  }

  const metricNamed = (name) => index.metrics.findIndex((metric) => metric.name === name);
  const columnNamed = (name) => table.columns.find((column) => column.name === name);

  function toAddress(view) {
    const found = new URLSearchParams();
    for (const [name, usual] of Object.entries(DEFAULTS)) {
      if (Array.isArray(usual)) view[name].forEach((each) => found.append(name, each));
      else if (view[name] !== usual) found.append(name, view[name]);
    }
    return found.toString();
  }

  function fromAddress(text) {
    const found = new URLSearchParams(text);
    return Object.fromEntries(Object.entries(DEFAULTS).map(([name, usual]) => [name, Array.isArray(usual) ? found.getAll(name) : (found.get(name) ?? usual)]));
  }

  return { runChoices, eligible, columns, measured, scores, metricNamed, columnNamed, toAddress, fromAddress };
}
