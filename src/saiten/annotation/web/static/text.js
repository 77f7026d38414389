/* Texts from outside: how they are displayed, their offsets, marks, links and search hits. */
/* Characters that would reorder, hide or end text are replaced by signs, one code unit for one, so that every offset in
   the displayed text is an offset in the original. Offsets that leave the page count code points, as Python does. */
const ACTING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/gu;

function sign(character, at, text) {
  const code = character.charCodeAt(0);
  /* The carriage return of a Windows line end takes no room; alone it ends a line. */
  if (code === 0x0d) return text[at + 1] === "\n" ? "\u200b" : "\n";
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

export const shown = (text) => text.replace(ACTING, sign);

/* Converts between code units, in which browsers count, and code points. */
export class Points {
  constructor(text) {
    this.pairs = []; /* where characters of two units begin */
    for (const found of text.matchAll(/[\u{10000}-\u{10ffff}]/gu)) this.pairs.push(found.index);
    this.length = text.length - this.pairs.length;
  }

  /* Counts the leading pairs that fit. */
  #count(fits) {
    let [low, high] = [0, this.pairs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (fits(this.pairs[middle], middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /* A unit inside a character counts as that character's end. */
  toPoints(unit) {
    const begun = this.#count((pair) => pair < unit);
    const inside = begun > 0 && this.pairs[begun - 1] + 1 === unit;
    return unit - begun + (inside ? 1 : 0);
  }

  toUnits(point) {
    return point + this.#count((pair, index) => pair - index < point);
  }
}

/* The text without NUL and lone surrogates, which cannot be stored. */
export const sendable = (text) => text.replaceAll("\0", "").replace(/[\ud800-\udfff]/gu, "\ufffd");

/* The first words, on one line. */
export function excerpt(text, most = 40) {
  const characters = [...shown(text).replace(/[\s\u200b]+/gu, " ").trim()];
  return characters.length > most ? `${characters.slice(0, most).join("")}…` : characters.join("");
}

/* ---- marks over a text: text nodes with <mark> or <a> elements around them, however they overlap ---- */

/* Cuts a text into pieces, each with the spans over it, the outermost first. */
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

/* Opens in a new tab, without a referrer. */
function linkTo(href) {
  const link = document.createElement("a");
  Object.assign(link, { href, target: "_blank", rel: "noopener noreferrer" });
  return link;
}

/* The offset of a DOM position in the element's text. */
export function offsetOf(element, node, offset) {
  const range = document.createRange();
  range.selectNodeContents(element);
  range.setEnd(node, offset);
  return range.toString().length;
}

/* The DOM position of an offset; at a boundary, the end of the text before it, unless `after`. */
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

/* ---- links in a text, as spans to paint ---- */

const ADDRESS = /\bhttps?:\/\/[\w\-.~:/?#[\]@!$&'()*+,;=%]+/giu; /* ASCII only: Japanese text follows a URL without a space */
const BRACKETS = { ")": "(", "]": "[" };

/* Finds http(s) URLs without a user name: text before an @ may look like the host. */
export function links(text) {
  const found = [];
  for (const { 0: match, index } of text.matchAll(ADDRESS)) {
    const address = trimmed(match);
    const url = parsed(address);
    if (url && ["http:", "https:"].includes(url.protocol) && url.hostname && !url.username && !url.password) {
      found.push({ start: index, end: index + address.length, href: url.href, depth: -1 });
    }
  }
  return found;
}

function parsed(address) {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

/* Strips the sentence's punctuation, and brackets opened before the URL. */
function trimmed(address) {
  let kept = address;
  for (;;) {
    const last = kept.at(-1);
    const opening = BRACKETS[last];
    const stray = opening && kept.split(last).length > kept.split(opening).length;
    if (!stray && !/[.,;:!?'*]/u.test(last)) return kept;
    kept = kept.slice(0, -1);
  }
}

/* ---- search that ignores width, case and composition: ｶﾞｲﾄﾞ and ガイド, Ｖ９ and v9, é and é are equal ---- */

const LETTER = /[\s\S][\p{M}\uff9e\uff9f]*/gu;

/* The folded text, and for each of its units where its letter begins and ends in the original. */
export function folded(text) {
  const parts = [];
  const starts = [];
  const ends = [];
  for (const { 0: letter, index } of text.matchAll(LETTER)) {
    const plain = letter.length === 1 && letter < "\x80" ? letter.toLowerCase() : letter.normalize("NFKC").toLowerCase();
    parts.push(plain);
    for (let unit = 0; unit < plain.length; unit += 1) {
      starts.push(index);
      ends.push(index + letter.length);
    }
  }
  return { text: parts.join(""), starts, ends };
}

/* Finds the words in a folded text: up to `most` disjoint [start, end] in the original, in order. */
export function hits(text, query, most = 1000) {
  const words = [...new Set(query.normalize("NFKC").toLowerCase().split(/\s+/u).filter(Boolean))];
  const found = [];
  for (const word of words) {
    let at = text.text.indexOf(word);
    for (let n = 0; at >= 0 && n < most; n += 1) {
      found.push([text.starts[at], text.ends[at + word.length - 1]]);
      at = text.text.indexOf(word, at + word.length);
    }
  }
  found.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const apart = [];
  for (const hit of found) if (!apart.length || hit[0] >= apart.at(-1)[1]) apart.push(hit);
  return apart.slice(0, most);
}
