/* What changed between two texts, word by word. */
import { make } from "./dom.js";
import { shown } from "./text.js";

const MOST = 2_000; /* words compared; of longer changes, everything counts as replaced */

function wordsOf(text, language) {
  return [...new Intl.Segmenter(language, { granularity: "word" }).segment(text)].map(({ segment }) => segment);
}

/* Lengths of the longest common subsequences of all ends of both lists. */
function common(one, other) {
  const table = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      table[i][j] = one[i] === other[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  return table;
}

/* Returns [kind, text] pairs in order; kind: same, del or ins. */
export function changes(before, after, language) {
  const [one, other] = [wordsOf(before, language), wordsOf(after, language)];
  let head = 0;
  while (head < one.length && head < other.length && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(one.length, other.length) - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  const parts = [];
  const add = (kind, text) => {
    if (parts.at(-1)?.[0] === kind) parts.at(-1)[1] += text;
    else if (text) parts.push([kind, text]);
  };
  add("same", one.slice(0, head).join(""));
  const [old, fresh] = [one.slice(head, one.length - tail), other.slice(head, other.length - tail)];
  if (old.length > MOST || fresh.length > MOST) {
    add("del", old.join(""));
    add("ins", fresh.join(""));
  } else {
    const table = common(old, fresh);
    let [i, j] = [0, 0];
    while (i < old.length || j < fresh.length) {
      if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
        add("same", old[i]);
        [i, j] = [i + 1, j + 1];
      } else if (i < old.length && (j === fresh.length || table[i + 1][j] >= table[i][j + 1])) {
        add("del", old[i]);
        i += 1;
      } else {
        add("ins", fresh[j]);
        j += 1;
      }
    }
  }
  add("same", one.slice(one.length - tail).join(""));
  return parts;
}

/* Draws the changes: removed words struck through, added ones underlined. */
export function drawChanges(before, after, language) {
  return changes(before, after, language).map(([kind, text]) => (kind === "same" ? shown(text) : make(kind, { text: shown(text) })));
}
