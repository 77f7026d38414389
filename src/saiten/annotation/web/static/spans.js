/* The marks of the form `gist`: plain values in, new values out. Offsets are code units of one text, the end exclusive. */
export const LAYERS = [
  { name: "units", side: "reference", kinds: ["gist", "supplement"] },
  { name: "missing", side: "reference", kinds: ["missing_gist", "missing_supplement"] },
  { name: "extra", side: "answer", kinds: ["extra_gist", "extra_supplement"] },
];
export const KINDS = LAYERS.flatMap((layer) => layer.kinds);
export const layerOf = (kind) => LAYERS.find((layer) => layer.kinds.includes(kind));
export const kindsOf = (side) => LAYERS.filter((layer) => layer.side === side).flatMap((layer) => layer.kinds);
export const CLASS = {
  gist: "bg", supplement: "bs", missing_gist: "mg", missing_supplement: "ms", extra_gist: "eg", extra_supplement: "es",
};

/* The stretch without white space at its ends; null where nothing is left. Half a character is a whole one. */
export function trimmed(text, start, end) {
  let [from, to] = [Math.min(start, end), Math.max(start, end)];
  if (/^[\udc00-\udfff]/u.test(text.slice(from, from + 1)) && /[\ud800-\udbff]$/u.test(text.slice(from - 1, from))) from -= 1;
  if (/[\ud800-\udbff]$/u.test(text.slice(to - 1, to)) && /^[\udc00-\udfff]/u.test(text.slice(to, to + 1))) to += 1;
  const part = text.slice(from, to);
  from += part.length - part.trimStart().length;
  to -= part.length - part.trimEnd().length;
  return from < to ? { start: from, end: to } : null;
}

const same = (one, other) => one.kind === other.kind && one.start === other.start && one.end === other.end;
export const without = (marks, gone) => marks.filter((mark) => !same(mark, gone));
export const has = (marks, wanted) => marks.some((mark) => same(mark, wanted));

/* The marks with one more. Within a layer nothing overlaps: the new one takes in what it crosses of its own kind, and
   takes away what it covers of the other. */
export function withMark(marks, text, kind, start, end) {
  const layer = layerOf(kind);
  const placed = trimmed(text, start, end);
  if (!placed) return marks;
  const others = [];
  for (const mark of marks) {
    const crosses = mark.start < placed.end && placed.start < mark.end;
    if (!crosses || !layer.kinds.includes(mark.kind)) {
      others.push(mark);
    } else if (mark.kind === kind) {
      placed.start = Math.min(placed.start, mark.start);
      placed.end = Math.max(placed.end, mark.end);
    } else {
      others.push(mark);
    }
  }
  const apart = others.flatMap((mark) => {
    const crosses = mark.start < placed.end && placed.start < mark.end;
    if (!crosses || !layer.kinds.includes(mark.kind)) return [mark];
    const left = mark.start < placed.start ? trimmed(text, mark.start, placed.start) : null;
    const right = mark.end > placed.end ? trimmed(text, placed.end, mark.end) : null;
    return [left, right].filter(Boolean).map((piece) => ({ kind: mark.kind, ...piece }));
  });
  return ordered([...apart, { kind, ...placed }]);
}

export function ordered(marks) {
  return [...marks].sort((a, b) => KINDS.indexOf(layerOf(a.kind).kinds[0]) - KINDS.indexOf(layerOf(b.kind).kinds[0])
    || a.start - b.start || a.end - b.end);
}

/* The mark's class becomes another of the same layer. */
export function reclassed(marks, text, mark, kind) {
  return withMark(without(marks, mark), text, kind, mark.start, mark.end);
}
