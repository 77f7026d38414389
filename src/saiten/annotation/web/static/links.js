/* Addresses in a text, as spans for paint.js. */
const ADDRESS = /\bhttps?:\/\/[\w\-.~:/?#[\]@!$&'()*+,;=%]+/giu; /* Japanese goes on behind an address without a space */
const BRACKETS = { ")": "(", "]": "[" };

/* Only http and https, and none that names a user: what stands before an @ may look like the host. */
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

/* Without the sentence's own signs at the end, and without a bracket that was opened before the address. */
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
