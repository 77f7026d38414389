/* Texts from outside as they are shown, and their offsets.

   What would turn, hide or end something is shown as a sign: one code unit for one, so that every offset in what is
   shown is an offset in the text. Offsets that leave the page count characters (code points), as Python does. */
const ACTING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/gu;

function sign(character, at, text) {
  const code = character.charCodeAt(0);
  /* A line end as Windows writes it is one line end: its first half takes no room. Alone it ends a line. */
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

  /* How many of the pairs fit, which come in order. */
  #count(fits) {
    let [low, high] = [0, this.pairs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (fits(this.pairs[middle], middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /* A unit in the middle of a character counts as that character's end. */
  toPoints(unit) {
    const begun = this.#count((pair) => pair < unit);
    const inside = begun > 0 && this.pairs[begun - 1] + 1 === unit;
    return unit - begun + (inside ? 1 : 0);
  }

  toUnits(point) {
    return point + this.#count((pair, index) => pair - index < point);
  }
}

/* The first words, on one line. */
export function excerpt(text, most = 40) {
  const characters = [...shown(text).replace(/[\s\u200b]+/gu, " ").trim()];
  return characters.length > most ? `${characters.slice(0, most).join("")}…` : characters.join("");
}
