/* Regular expressions in linear time: the browser's own may take forever, and nothing can interrupt them.

   A pattern becomes an automaton whose states are made when they are first reached. Not supported: backreferences and
   looking ahead or behind, which no automaton can do. Texts are `folded`; ^ and $ are the ends of a line. */
function linearPattern(source, words) {
  const STATES = 3000; /* Maximum states of the pattern, and of the automaton before it is made anew. */
  const LONGEST = 400; /* Maximum characters of a highlighted match. */

  /* The pattern as nodes: {test}, {edge}, {all: nodes}, {any: nodes}, {repeat: node, least, most}. */
  function parsed(text) {
    let at = 0;

    function alternatives() {
      const any = [sequence()];
      while (text[at] === "|") {
        at += 1;
        any.push(sequence());
      }
      return any.length > 1 ? { any } : any[0];
    }

    function sequence() {
      const all = [];
      while (at < text.length && text[at] !== "|" && text[at] !== ")") all.push(repeated(atom()));
      return { all };
    }

    function repeated(node) {
      const [sign, least, comma, most] = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/u.exec(text.slice(at)) ?? [];
      if (!sign) return node;
      at += sign.length;
      if (sign[0] !== "{") return { repeat: node, least: sign[0] === "+" ? 1 : 0, most: sign[0] === "?" ? 1 : Infinity };
      return { repeat: node, least: Number(least), most: most ? Number(most) : comma ? Infinity : Number(least) };
    }

    function atom() {
      const rest = text.slice(at);
      if (rest[0] === "(") return group(rest);
      const edge = /^(?:\^|\$|\\[bB])/u.exec(rest)?.[0];
      if (edge) {
        at += edge.length;
        return { edge };
      }
      if (/^\\[1-9k]/u.test(rest)) throw new Error(words.pattern_beyond);
      const own = /^(?:\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\c.|\\.|.)/isu.exec(rest)[0];
      at += own.length;
      return own.length > 1 || own === "." ? { test: oneOf(own) } : literal(own);
    }

    function group(rest) {
      const opening = /^\((?:\?:|\?<[^=!][^>]*>)?/u.exec(rest)[0];
      if (rest[opening.length] === "?") throw new Error(words.pattern_beyond);
      at += opening.length;
      const node = alternatives();
      at += 1;
      return node;
    }

    return alternatives();
  }

  /* A class of characters is left to the browser, which tests one character at a time. */
  function oneOf(own) {
    const narrow = own.replace(/[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/gu, folded);
    const expression = new RegExp(`^${narrow}$`, "iu");
    return (code) => expression.test(String.fromCodePoint(code));
  }

  const literal = (own) => ({ all: [...folded(own)].map((char) => ({ test: (code) => code === char.codePointAt(0) })) });

  /* States: {test, next}, {edge, next}, {split: states}, or {end}. */
  const states = [];
  function state(made) {
    if (states.length >= STATES) throw new Error(words.pattern_large);
    states.push(made);
    return states.length - 1;
  }

  function compiled(node, next) {
    if (node.test || node.edge) return state({ ...node, next });
    if (node.all) return node.all.reduceRight((after, each) => compiled(each, after), next);
    if (node.any) return state({ split: node.any.map((each) => compiled(each, next)) });
    let after = next;
    if (node.most === Infinity) {
      after = state({ split: [] });
      states[after].split = [compiled(node.repeat, after), next];
    } else {
      for (let at = node.least; at < node.most; at += 1) after = state({ split: [compiled(node.repeat, after), next] });
    }
    for (let at = 0; at < node.least; at += 1) after = compiled(node.repeat, after);
    return after;
  }

  new RegExp(source, "iu"); /* throws if it is none */
  const start = compiled(parsed(source), state({ end: true }));

  const EDGE = 0; /* the end of a line or of the text */
  const [WORD, OTHER] = [1, 2];
  const kindOf = (code) => (code === undefined || code === 10 ? EDGE : /^[\p{L}\p{N}_]$/u.test(String.fromCodePoint(code)) ? WORD : OTHER);
  function holds(edge, before, after) {
    if (edge === "^") return before === EDGE;
    if (edge === "$") return after === EDGE;
    return ((before === WORD) !== (after === WORD)) === (edge === "\\b");
  }

  /* The states that are reached without reading a character. */
  function reached(items, before, after) {
    const found = new Set();
    const waiting = [...items];
    while (waiting.length) {
      const at = waiting.pop();
      if (found.has(at)) continue;
      found.add(at);
      const { split, edge, next } = states[at];
      if (split) waiting.push(...split);
      else if (edge && holds(edge, before, after)) waiting.push(next);
    }
    return [...found];
  }

  /* `searching`: a match may begin anywhere. */
  function automaton(searching) {
    let known = new Map();
    const made = (items, before) => {
      const key = `${items.sort((a, b) => a - b)}|${before}`;
      if (!known.has(key)) {
        if (known.size > STATES) known = new Map();
        known.set(key, { items, before, steps: new Map() });
      }
      return known.get(key);
    };
    function step(from, code) {
      const kind = kindOf(code);
      const there = reached(from.items, from.before, kind);
      const matched = there.some((at) => states[at].end);
      const on = code === undefined ? [] : there.filter((at) => states[at].test?.(code)).map((at) => states[at].next);
      const to = { matched, next: made([...new Set(searching ? [...on, start] : on)], kind) };
      from.steps.set(code, to);
      return to;
    }
    return { first: (before) => made([start], before), after: (from, code) => from.steps.get(code) ?? step(from, code) };
  }
  const [search, match] = [automaton(true), automaton(false)];

  function test(text) {
    let now = search.first(EDGE);
    for (let at = 0; at <= text.length; ) {
      const code = text.codePointAt(at);
      const { matched, next } = search.after(now, code);
      if (matched) return true;
      now = next;
      at += code > 0xffff ? 2 : 1;
    }
    return false;
  }

  /* The end of the longest match that begins at a place; the place itself if there is none. */
  function endOf(text, from) {
    let [now, end] = [match.first(kindOf(from ? text.codePointAt(from - 1) : undefined)), from];
    for (let at = from; at <= Math.min(text.length, from + LONGEST) && now.items.length; ) {
      const code = text.codePointAt(at);
      const { matched, next } = match.after(now, code);
      if (matched) end = at;
      now = next;
      at += code > 0xffff ? 2 : 1;
    }
    return end;
  }

  function spans(text) {
    const found = [];
    for (let at = 0; at < text.length; ) {
      const end = endOf(text, at);
      if (end > at) found.push([at, end]);
      at = Math.max(end, at + 1);
    }
    return found;
  }

  return { test, spans };
}
