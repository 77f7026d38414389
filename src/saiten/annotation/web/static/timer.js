/* How long an item is before somebody's eyes: while the page is seen, and not after two minutes without a sign of life. */
const IDLE = 120_000;

export class Timer {
  #spent = 0;
  #from = null;
  #seen = 0;

  constructor() {
    for (const sign of ["pointermove", "pointerdown", "keydown", "scroll", "touchstart"]) {
      window.addEventListener(sign, () => this.#alive(), { passive: true, capture: true });
    }
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#pause() : this.#alive()));
  }

  begin(seconds = 0) {
    this.#spent = seconds * 1_000;
    this.running = true;
    this.#from = document.hidden ? null : performance.now();
    this.#seen = performance.now();
  }

  stop() {
    this.#pause();
    this.running = false;
  }

  get seconds() {
    const until = Math.min(performance.now(), this.#seen + IDLE);
    return (this.#spent + (this.#from === null ? 0 : Math.max(0, until - this.#from))) / 1_000;
  }

  #pause() {
    this.#spent = this.seconds * 1_000;
    this.#from = null;
  }

  #alive() {
    if (!this.running || document.hidden) return;
    const now = performance.now();
    if (this.#from === null || now - this.#seen > IDLE) {
      this.#spent = this.seconds * 1_000;
      this.#from = now;
    }
    this.#seen = now;
  }
}
