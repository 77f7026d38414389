/* The data in the page: the index at once; the full samples and the beginnings of their texts pack by pack. */
function reportData() {
  const MOST = 16; /* Maximum packs of full samples that are kept. */

  async function unpack(script) {
    const plain = atob(script.textContent);
    const bytes = new Uint8Array(plain.length);
    for (let at = 0; at < plain.length; at += 1) bytes[at] = plain.charCodeAt(at);
    const opened = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(opened).text());
  }

  const packs = [...document.querySelectorAll("script.pack")];
  const kept = new Map();
  function pack(at) {
    if (!kept.has(at)) {
      kept.set(at, unpack(packs[at]));
      if (kept.size > MOST) kept.delete(kept.keys().next().value);
    }
    return kept.get(at);
  }

  /* The place of the pack with a value, by the numbers of the packs' first values. */
  function placeOf(number, starts) {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle] > number) high = middle - 1;
      else low = middle;
    }
    return low;
  }

  async function sample(index, number) {
    const at = placeOf(number, index.starts);
    return (await pack(at))[number - index.starts[at]];
  }

  /* Yield all samples in order; `number` of `of` packs are done. */
  async function* samples() {
    for (let at = 0; at < packs.length; at += 1) yield { found: await unpack(packs[at]), number: at + 1, of: packs.length };
  }

  /* The beginnings of answers and references, which stay in memory once they are unpacked. `onArrival`: all that were
     asked for are there. */
  function beginnings(index, onArrival) {
    const scripts = [...document.querySelectorAll("script.begins")];
    const opened = Array(scripts.length).fill(null);
    const [asked, waiting] = [new Set(), new Set()];

    async function open(at) {
      if (asked.has(at)) return;
      asked.add(at);
      opened[at] = await unpack(scripts[at]);
      scripts[at].remove();
      if (!waiting.has(at)) return;
      waiting.delete(at);
      if (waiting.size === 0) onArrival();
    }

    /* [answer, reference], or null while they are being unpacked. */
    function of(number) {
      const at = placeOf(number, index.beginnings);
      if (opened[at] === null) {
        waiting.add(at);
        open(at);
      }
      return opened[at] && opened[at][number - index.beginnings[at]];
    }

    async function openAll() {
      for (let at = 0; at < scripts.length; at += 1) {
        await new Promise((next) => (window.requestIdleCallback ?? setTimeout)(next));
        await open(at);
      }
    }

    return { of, openAll };
  }

  const index = () => unpack(document.getElementById("report-index"));
  return { index, sample, samples, beginnings };
}
