/* What this browser keeps for one person: localStorage, and the page's memory where that is full or forbidden. */
export class Storage {
  constructor(prefix) {
    this.prefix = prefix;
    this.memory = new Map(); /* what could not be kept; it is gone with the page */
    try {
      this.disk = window.localStorage;
      this.disk.setItem(`${prefix}try`, "1");
      this.disk.removeItem(`${prefix}try`);
    } catch (error) {
      if (!this.disk?.length) this.disk = null; /* full is another matter than forbidden: what is there can be read */
    }
  }

  get(key) {
    if (this.memory.has(key)) return this.memory.get(key);
    try {
      return JSON.parse(this.disk?.getItem(this.prefix + key) ?? "null");
    } catch {
      return null; /* somebody else's, or half a text */
    }
  }

  /* Whether it was kept beyond this page. */
  set(key, value) {
    try {
      this.disk.setItem(this.prefix + key, JSON.stringify(value));
      this.memory.delete(key);
      return true;
    } catch {
      this.memory.set(key, value);
      return false;
    }
  }

  remove(key) {
    this.memory.delete(key);
    try {
      this.disk?.removeItem(this.prefix + key);
    } catch { /* it was never there */ }
  }

  /* The keys that begin so, in order. */
  keys(beginning) {
    const found = new Set([...this.memory.keys()].filter((key) => key.startsWith(beginning)));
    try {
      for (let at = 0; at < (this.disk?.length ?? 0); at += 1) {
        const key = this.disk.key(at);
        if (key?.startsWith(this.prefix + beginning)) found.add(key.slice(this.prefix.length));
      }
    } catch { /* forbidden */ }
    return [...found].sort();
  }

  /* Something would be lost with the page. */
  get unsafe() {
    return [...this.memory.keys()].some((key) => key.startsWith("draft:") || key.startsWith("out:"));
  }
}

/* A name that nobody else makes; crypto.randomUUID is missing where the page came over plain HTTP. */
export function unique() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
