/* Work that only one tab does at a time: by a lock of the browser's, or a lease in storage where there are no locks. */
const LEASE = 20_000; /* milliseconds; longer than any request may take */
const me = Math.random().toString(36).slice(2);
const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

/* Does the work and returns true, or false where another tab is at it. `work` is given a function that prolongs. */
export async function alone(name, storage, work) {
  if (navigator.locks) {
    return navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await work(() => {});
      return lock !== null;
    });
  }
  const held = storage.get("lease");
  if (held && held.by !== me && held.until > Date.now() && held.until < Date.now() + 2 * LEASE) return false;
  const prolong = () => storage.set("lease", { by: me, until: Date.now() + LEASE });
  prolong();
  await pause(30 + Math.random() * 50); /* two that begin at once: the one that wrote last has it */
  if (storage.get("lease")?.by !== me) return false;
  try {
    await work(prolong);
  } finally {
    if (storage.get("lease")?.by === me) storage.remove("lease");
  }
  return true;
}
