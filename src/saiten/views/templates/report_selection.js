/* The rows of a view: filtered, sorted, with the differences within a row and the means of the columns. */
function answerSelection({ index, table, views, figures, grading }) {
  const { has } = table;
  const PRESETS = ["", "low", "differs", "declined", "unmeasured"];
  const DECLINED = "1"; /* in the order of the statuses; "0" is measured */

  /* Whether an answer, with the metrics shown, belongs to a preset that is about answers. */
  function belongs(only, places) {
    if (only === "low") return (number) => places.some((at) => index.metrics[at].values[number] !== null && figures.third(at, index.metrics[at].values[number]) === "bad");
    const wanted = only === "declined" ? (status) => status === DECLINED : (status) => status > DECLINED;
    return (number) => places.some((at) => has(index.metrics[at], number) && wanted(index.metrics[at].statuses[number]));
  }
  const isOfAnswers = (only) => only !== "" && only !== "differs";

  /* The number of questions of a preset among those that the columns have answers to. */
  let counted = { key: "", counts: {} };
  function countOf(view, only) {
    const columns = views.columns(view);
    const key = [...columns.map(({ at }) => at), "", ...views.scores(view), metricOf(view)].join(" ");
    if (key !== counted.key) counted = { key, counts: {} };
    return (counted.counts[only] ??= count(view, only, columns));
  }
  function count(view, only, columns) {
    const rows = rowsOf(columns);
    if (!only) return rows.length;
    const gapOf = gaps(view, columns);
    if (only === "differs") return rows.filter((row) => gapOf(row).differs).length;
    const fits = belongs(only, views.scores(view));
    return rows.filter((row) => columns.some((column) => row.cells.has(column.at) && fits(row.cells.get(column.at)))).length;
  }

  const rowsOf = (columns) => table.rows.filter((row) => columns.some((column) => row.cells.has(column.at)));

  /* Whether an answer fits the filters on answers. */
  function fitting(view, hits) {
    const equal = ["group", "language"].filter((name) => view[name]).map((name) => [index[name].rows, index[name].names.indexOf(view[name])]);
    const metrics = view.metric ? index.metrics.filter(({ name }) => name === view.metric) : index.metrics;
    const [from, to] = ["from", "to"].map((name) => (view[name] === "" ? null : Number(view[name])));
    const preset = isOfAnswers(view.only) ? belongs(view.only, views.scores(view)) : () => true;
    const scored = view.status !== "" || from !== null || to !== null || view.metric !== "";
    function fitsScores(number) {
      return metrics.some(({ values, statuses }) => {
        if (statuses[number] === "-" || (view.status !== "" && statuses[number] !== view.status)) return false;
        if (from === null && to === null) return true;
        return values[number] !== null && (from === null || values[number] >= from) && (to === null || values[number] <= to);
      });
    }
    return (number) =>
      (hits === null || hits[number] === 1) &&
      equal.every(([rows, wanted]) => rows[number] === wanted) &&
      (!scored || fitsScores(number)) &&
      preset(number) &&
      (!view.graded || grading.graded(number) === (view.graded === "yes"));
  }

  /* The differences of a row in a metric: between the chosen columns, or the shown ones. */
  function gaps(view, columns) {
    const metric = index.metrics[metricOf(view)];
    const [of, against] = [view.of, view.against].map((name) => columns.filter((column) => column.name === name));
    const [left, right] = [of.length ? of : columns, against.length ? against : columns];
    const directed = of.length + against.length > 0;
    return (row) => {
      const found = { gap: null, differs: false, better: false, worse: false };
      for (const a of left) for (const b of right) if (a !== b) compare(metric, row.cells.get(a.at), row.cells.get(b.at), found);
      if (found.gap !== null && !directed) found.gap = Math.abs(found.gap);
      return found;
    };
  }

  function compare(metric, one, other, found) {
    if (!metric || one === undefined || other === undefined || !has(metric, one) || !has(metric, other)) return;
    if (metric.statuses[one] !== metric.statuses[other]) found.differs = true;
    if (metric.values[one] === null || metric.values[other] === null) return;
    const gap = figures.gap(metric.values[one], metric.values[other]);
    if (gap) found.differs = true;
    found[(metric.higher ?? true) === gap > 0 ? "better" : "worse"] ||= gap !== 0;
    if (found.gap === null || Math.abs(gap) > Math.abs(found.gap)) found.gap = gap;
  }

  /* The place of the metric whose differences are looked at; undefined if no two columns have one. */
  function metricOf(view) {
    const chosen = views.metricNamed(view.difference);
    return chosen < 0 ? comparable(views.columns(view))[0] : chosen;
  }

  /* The places of the metrics that at least two of the columns have. */
  function comparable(columns) {
    return index.metrics.map((_, at) => at).filter((at) => columns.filter((column) => table.measured[column.at].has(at)).length > 1);
  }

  function keyOf(view, columns) {
    if (view.sort === "id") return (row) => table.bareId(row.first);
    if (view.sort === "group") return (row) => table.nameOf("group", row.first);
    if (view.sort === "gap") {
      const gapOf = gaps(view, columns);
      return view.way ? (row) => gapOf(row).gap : (row) => (({ gap }) => (gap === null ? null : Math.abs(gap)))(gapOf(row));
    }
    const [metric, column] = [index.metrics[views.metricNamed(view.by)], views.columnNamed(view.in)];
    return metric && column ? (row) => (row.cells.has(column.at) ? metric.values[row.cells.get(column.at)] : null) : null;
  }

  /* Empty values come last in both directions; equal ones stay as they came. */
  function sorted(view, rows, columns) {
    const key = view.sort && keyOf(view, columns);
    if (!key) return rows;
    const sign = view.way === "lowest" || (!view.way && (view.sort === "id" || view.sort === "group")) ? 1 : -1;
    const none = (value) => value === null || value === "";
    const keyed = rows.map((row) => [key(row), row]);
    keyed.sort(([x, a], [y, b]) => {
      if (none(x) || none(y)) return none(x) - none(y) || a.at - b.at;
      return sign * (typeof x === "number" ? x - y : collator.compare(x, y)) || a.at - b.at;
    });
    return keyed.map(([, row]) => row);
  }

  function differing(view, columns) {
    if (!view.show && view.least === "" && view.only !== "differs") return () => true;
    const gapOf = gaps(view, columns);
    const least = view.least === "" ? null : Number(view.least);
    return (row) => {
      const found = gapOf(row);
      return (!view.show || found[view.show]) && (view.only !== "differs" || found.differs) && (least === null || (found.gap !== null && Math.abs(found.gap) >= least));
    };
  }

  /* Mean, number of values, and number of answers, over the rows' answers in a column. */
  function mean(rows, column, at) {
    const { values } = index.metrics[at];
    let [sum, n, of] = [0, 0, 0];
    for (const row of rows) {
      const number = row.cells.get(column.at);
      if (number === undefined) continue;
      of += 1;
      if (values[number] === null) continue;
      sum += values[number];
      n += 1;
    }
    return { mean: n ? sum / n : null, n, of };
  }

  /* `hits`: whether each answer matches the search, or null. `fits` says it of an answer and all filters on answers. */
  function select(view, hits) {
    const columns = views.columns(view);
    const fits = fitting(view, hits);
    const differs = differing(view, columns);
    const all = rowsOf(columns);
    const rows = all.filter((row) => columns.some((column) => row.cells.has(column.at) && fits(row.cells.get(column.at))) && differs(row));
    return { rows: sorted(view, rows, columns), of: all.length, columns, fits, mean };
  }

  return { PRESETS, select, countOf, metricOf, comparable };
}
