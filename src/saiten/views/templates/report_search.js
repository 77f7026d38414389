/* Search in all texts of the answers, by words or by a pattern: in slices, so that the page goes on moving. */
function answerSearch({ index, data, table, elements, words }) {
  const { make, named } = elements;
  const SLICE = 12; /* Milliseconds of work at a time. */
  let texts = null; /* The whole text of each answer, folded; made by the first search. */
  let reading = null;
  let now = { query: "", regex: false, matcher: null };

  const pause = () => new Promise((next) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = next;
    channel.port2.postMessage(null);
  });

  function stringsOf(value, found) {
    if (typeof value === "string") found.push(value);
    else if (Array.isArray(value)) for (const each of value) stringsOf(each, found);
    else if (value !== null && typeof value === "object") for (const each of Object.values(value)) stringsOf(each, found);
    return found;
  }

  function textOf(number, { scores = [], gist, ...rest }) {
    const said = scores.flatMap(([, score]) => [score.reason ?? "", ...(score.lines ?? []).flatMap((line) => line.slice(2))]);
    return folded([index.id[number], table.nameOf("system", number), table.nameOf("group", number), ...stringsOf(rest, []), ...said].join("\n"));
  }

  async function readAll(say) {
    const read = [];
    let began = performance.now();
    for await (const { found, number, of } of data.samples()) {
      for (const sample of found) {
        read.push(textOf(read.length, sample));
        if (performance.now() - began > SLICE) {
          await pause();
          began = performance.now();
        }
      }
      say(named(words.searching, { percent: Math.round((100 * number) / of) }));
    }
    texts = read;
  }

  function byWords(wanted) {
    const spans = (text) => wanted.flatMap((word) => {
      const found = [];
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) found.push([at, at + word.length]);
      return found;
    });
    return { test: (text) => wanted.every((word) => text.includes(word)), spans };
  }

  /* Read the query. Throws if it is not a pattern, or one that is not supported. */
  function ask(query, regex) {
    if (query === now.query && regex === now.regex) return;
    const wanted = wantedWords(query);
    now = { query, regex, matcher: null };
    if (wanted.length) now.matcher = regex ? linearPattern(query, words) : byWords(wanted);
  }

  /* Whether each answer matches: null for all; undefined if another question was asked in the meantime. */
  async function find(say) {
    const { matcher } = now;
    if (matcher === null) return null;
    if (texts === null) await (reading ??= readAll(say));
    const found = new Uint8Array(index.count);
    let began = performance.now();
    for (let number = 0; number < index.count; number += 1) {
      if (now.matcher !== matcher) return undefined;
      if (matcher.test(texts[number])) found[number] = 1;
      if (performance.now() - began > SLICE) {
        say(named(words.searching, { percent: Math.round((100 * number) / index.count) }));
        await pause();
        began = performance.now();
      }
    }
    return now.matcher === matcher ? found : undefined;
  }

  /* A text folded as the searched ones are, with the place of each of its characters in the original. */
  function withPlaces(text) {
    let [whole, at] = ["", 0];
    const places = [];
    for (const [sign] of text.matchAll(/\P{M}[\p{M}\uff9e\uff9f]*|\p{M}+/gsu)) {
      const own = folded(sign);
      for (let each = 0; each < own.length; each += 1) places.push([at, at + sign.length]);
      whole += own;
      at += sign.length;
    }
    return { whole, places };
  }

  /* The text, with what was found marked. */
  function marked(text) {
    const made = document.createDocumentFragment();
    if (now.matcher === null) {
      made.append(text);
      return made;
    }
    const { whole, places } = withPlaces(text);
    let from = 0;
    for (const [start, end] of now.matcher.spans(whole).sort((a, b) => a[0] - b[0])) {
      const [first, last] = [places[start][0], places[end - 1][1]];
      if (first < from) continue;
      made.append(text.slice(from, first), make("mark", "found", text.slice(first, last)));
      from = last;
    }
    made.append(text.slice(from));
    return made;
  }

  return { ask, find, marked };
}
