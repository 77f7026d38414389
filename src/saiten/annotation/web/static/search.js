/* Finding words whatever their width, case and composition: ｶﾞｲﾄﾞ and ガイド, Ｖ９ and v9, é and é are the same. */
const LETTER = /[\s\S][\p{M}\uff9e\uff9f]*/gu;

/* The text folded, and for every unit of it where its letter begins and ends in the text. */
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

/* Where the words stand in a folded text, as [start, end] in the text itself, in order and apart; `most` at most. */
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
