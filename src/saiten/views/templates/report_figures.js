/* Figures of the matrix: as texts, as a share of their scale, and as differences with their direction. */
function reportFigures(index) {
  /* The value of a full bar by metric; 0 for no bars, if there are negative values. */
  const full = index.metrics.map((metric) => {
    let [low, high] = [0, 0];
    for (const value of metric.values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return low < 0 ? 0 : high <= 1 ? 1 : high;
  });

  const shown = (value) => value.toFixed(3);

  function signed(gap) {
    const size = Math.abs(gap);
    return gap === 0 ? "±0" : `${gap > 0 ? "+" : "−"}${size < 0.0005 ? size.toPrecision(1) : shown(size)}`;
  }

  const share = (at, value) => (full[at] > 0 ? Math.max(0, Math.min(1, value / full[at])) : null);

  /* The third of the scale that a value is in, seen from the good end; "" if the metric has no direction or no bar. */
  function third(at, value) {
    const [part, { higher }] = [share(at, value), index.metrics[at]];
    if (part === null || higher === null) return "";
    const good = higher ? part : 1 - part;
    return good >= 2 / 3 ? "good" : good > 1 / 3 ? "middle" : "bad";
  }

  const rounded = (value) => Number(value.toPrecision(6)); /* as in the index */
  const gap = (value, other) => rounded(value) - rounded(other);
  const way = (metric, difference) => (difference === 0 || metric.higher === null ? "" : difference > 0 === metric.higher ? "better" : "worse");

  /* A metric's name with its words cut if it has several, as long as it is unlike the others. */
  const cut = (name) => {
    const parts = name.split(/[_[\],=:]+/u).filter(Boolean);
    return parts.map((part) => (part.length > 5 && parts.length > 1 ? part.slice(0, 4) : part)).join(" ");
  };
  const cuts = index.metrics.map(({ name }) => cut(name));
  const short = (at) => (cuts.indexOf(cuts[at]) === cuts.lastIndexOf(cuts[at]) ? cuts[at] : index.metrics[at].name);

  return { short, shown, signed, share, third, gap, way };
}
