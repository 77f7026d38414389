/* A text with stretches marked in it, however they overlap: nothing but text nodes, and <mark> or <a> elements around them. */

/* The text in pieces, each with the spans that lie over it, the outermost first. */
export function cut(length, spans) {
  const placed = [...spans].sort((a, b) => a.start - b.start || (a.depth ?? 0) - (b.depth ?? 0) || b.end - a.end);
  const edges = [...new Set([0, length, ...placed.flatMap((span) => [span.start, span.end])])].sort((a, b) => a - b);
  const pieces = [];
  let open = [];
  let next = 0;
  for (let at = 0; at + 1 < edges.length; at += 1) {
    const start = edges[at];
    open = open.filter((span) => span.end > start);
    const begun = new Set();
    while (next < placed.length && placed[next].start === start) {
      open.push(placed[next]);
      begun.add(placed[next]);
      next += 1;
    }
    open.sort((a, b) => (a.depth ?? 0) - (b.depth ?? 0) || a.start - b.start || b.end - a.end);
    pieces.push({ start, end: edges[at + 1], spans: [...open], begun });
  }
  return pieces;
}

/* Writes the text into the element; each span is {start, end, class, id, hit, href, depth}, in code units. */
export function paint(element, text, spans) {
  const fragment = document.createDocumentFragment();
  for (const piece of cut(text.length, spans)) {
    let place = fragment;
    for (const span of piece.spans) {
      const mark = span.href === undefined ? document.createElement("mark") : linkTo(span.href);
      if (span.class) mark.className = piece.begun.has(span) ? span.class : `${span.class} on`;
      if (span.id !== undefined) mark.dataset.id = span.id;
      if (span.hit !== undefined) mark.dataset.hit = span.hit;
      place.append(mark);
      place = mark;
    }
    place.append(text.slice(piece.start, piece.end));
  }
  element.replaceChildren(fragment);
}

/* Opens elsewhere, and learns nothing of this page. */
function linkTo(href) {
  const link = document.createElement("a");
  Object.assign(link, { href, target: "_blank", rel: "noopener noreferrer" });
  return link;
}

/* How many code units of the element's text stand before this place in the page. */
export function offsetOf(element, node, offset) {
  const range = document.createRange();
  range.selectNodeContents(element);
  range.setEnd(node, offset);
  return range.toString().length;
}

/* The place in the page of an offset; at an edge, the end of the text before it, unless `after`. */
export function placeOf(element, offset, after = false) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let left = offset;
  let last = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { length } = node;
    if (left < length || (left === length && !after)) return [node, left];
    left -= length;
    last = node;
  }
  return last ? [last, last.length] : [element, 0];
}
