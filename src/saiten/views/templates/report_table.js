/* The matrix as data: a column per system of a run, a row per question, the number of an answer in each cell. */
function answerTable(index, words) {
  const nameOf = (column, number) => (index[column].rows[number] < 0 ? "" : index[column].names[index[column].rows[number]]);
  const has = (metric, number) => metric.statuses[number] !== "-";
  const manyRuns = index.runs.length > 1;

  const columns = [];
  const columnOf = new Int32Array(index.count);
  const places = new Map();
  for (let number = 0; number < index.count; number += 1) {
    const key = `${index.run[number]} ${index.system.rows[number]}`;
    if (!places.has(key)) {
      places.set(key, columns.length);
      const [run, system] = [index.runs[index.run[number]], nameOf("system", number)];
      const title = system || (manyRuns ? run : words.answer);
      columns.push({ at: columns.length, run: index.run[number], system, title, below: manyRuns && system ? run : "", name: [system, (manyRuns || !system) && run].filter(Boolean).join(" · ") });
    }
    columnOf[number] = places.get(key);
  }

  /* The answers to one question are a row; a second answer of a system to it is in a further row. */
  const rows = [];
  const rowOf = new Int32Array(index.count);
  const groups = new Map();
  for (let number = 0; number < index.count; number += 1) {
    const group = index.beside[number];
    if (!groups.has(group)) groups.set(group, []);
    const own = groups.get(group);
    let row = own.find((each) => !each.cells.has(columnOf[number]));
    if (!row) {
      row = { at: rows.length, cells: new Map() };
      own.push(row);
      rows.push(row);
    }
    row.cells.set(columnOf[number], number);
    row.first ??= number;
    rowOf[number] = row.at;
  }

  /* Runs that share questions are shown together; the others one after the other. */
  const families = familiesOf(index.runs.length, rows.map((row) => [...row.cells.values()].map((number) => index.run[number])));
  const familyOf = Array(index.runs.length).fill(0);
  families.forEach((runs, at) => runs.forEach((run) => (familyOf[run] = at)));

  function familiesOf(count, together) {
    const parents = Array.from({ length: count }, (_, at) => at);
    const top = (at) => (parents[at] === at ? at : (parents[at] = top(parents[at])));
    for (const runs of together) for (const run of runs) parents[top(run)] = top(runs[0]);
    const found = new Map();
    parents.forEach((_, run) => found.set(top(run), [...(found.get(top(run)) ?? []), run]));
    return [...found.values()];
  }

  /* The metrics that a column has scores of, by their places. */
  const measured = columns.map(() => new Set());
  index.metrics.forEach((metric, at) => {
    for (let number = 0; number < index.count; number += 1) if (has(metric, number)) measured[columnOf[number]].add(at);
  });

  const langOf = (number) => nameOf("language", number) || document.documentElement.lang;
  /* A question's id: that of an answer without the system at its end, as in QUESTION-ID@SYSTEM or question-1-system. */
  function bareId(number) {
    const [id, system] = [index.id[number], nameOf("system", number)];
    const rest = system && id.endsWith(system) ? id.slice(0, -system.length) : "";
    return /.[@_./:\s-]$/u.test(rest) ? rest.slice(0, -1) : id;
  }

  return { columns, columnOf, rows, rowOf, families, familyOf, measured, nameOf, langOf, bareId, has };
}
