/* A caret in read-only text: selecting by keyboard, in characters, words and sentences.

   It follows the browser's own selection, so that pointer, touch and keys can be mixed. */
import { isComposing, make } from "./dom.js";
import { offsetOf, placeOf } from "./text.js";

const SMALL = 400; /* code units around the caret that are segmented */

export class Caret {
  #segmenters = new Map();

  /* `moved(start, end)` is called after every change. */
  constructor(view, language, moved) {
    Object.assign(this, { view, language, moved, anchor: 0, focus: 0 });
    this.sign = make("span", { class: "caret", "aria-hidden": "true", hidden: true });
    this.region = view.element;
    this.region.tabIndex = 0;
    this.region.setAttribute("role", "textbox");
    this.region.setAttribute("aria-readonly", "true");
    this.region.setAttribute("aria-multiline", "true");
    this.region.setAttribute("aria-label", view.label);
    this.region.after(this.sign);
    this.region.addEventListener("keydown", (event) => this.#pressed(event));
    this.region.addEventListener("focus", () => this.#show());
    this.region.addEventListener("blur", () => { this.sign.hidden = true; });
  }

  /* Adopts the browser's selection; returns whether it is in this text. */
  follow(selection) {
    const { anchorNode, focusNode } = selection;
    if (!anchorNode || !this.region.contains(anchorNode) || !this.region.contains(focusNode)) return false;
    this.anchor = offsetOf(this.region, anchorNode, selection.anchorOffset);
    this.focus = offsetOf(this.region, focusNode, selection.focusOffset);
    if (document.activeElement === this.region) this.#show();
    return true;
  }

  get start() { return Math.min(this.anchor, this.focus); }

  get end() { return Math.max(this.anchor, this.focus); }

  select(anchor, focus) {
    [this.anchor, this.focus] = [anchor, focus];
    const forward = focus >= anchor;
    const from = placeOf(this.region, anchor, anchor !== focus && forward);
    const to = placeOf(this.region, focus, anchor !== focus && !forward);
    getSelection().setBaseAndExtent(...from, ...to);
    this.#show();
    this.moved(this.start, this.end);
  }

  #segments(granularity, text) {
    if (!this.#segmenters.has(granularity)) {
      this.#segmenters.set(granularity, new Intl.Segmenter(this.language, { granularity }));
    }
    return this.#segmenters.get(granularity).segment(text);
  }

  /* The next or previous boundary of a character, word or sentence. */
  #border(granularity, step) {
    const { text } = this.view;
    const wide = granularity === "sentence" ? 10 * SMALL : SMALL;
    /* Starts at a nearby line's beginning, so that boundaries do not depend on the caret's position. */
    const line = text.lastIndexOf("\n", Math.max(0, this.focus - 2)) + 1;
    const from = Math.max(0, this.focus - line > wide ? this.focus - wide : line);
    const part = text.slice(from, this.focus + wide);
    const here = this.focus - from;
    const borders = [];
    for (const segment of this.#segments(granularity, part)) {
      if (granularity === "word" && segment.isWordLike === false && !segment.segment.trim()) continue;
      borders.push(segment.index);
    }
    borders.push(part.length);
    const found = step > 0 ? borders.find((border) => border > here) : borders.findLast((border) => border < here);
    return found === undefined ? Math.max(0, Math.min(text.length, this.focus + step)) : from + found;
  }

  /* Moves by lines as they are laid out. */
  #line(step, boundary) {
    const selection = getSelection();
    const [node, offset] = placeOf(this.region, this.focus);
    selection.setBaseAndExtent(node, offset, node, offset);
    selection.modify("move", step > 0 ? "forward" : "backward", boundary ? "lineboundary" : "line");
    const { focusNode, focusOffset } = selection;
    if (!this.region.contains(focusNode)) return step > 0 ? this.view.text.length : 0;
    return offsetOf(this.region, focusNode, focusOffset);
  }

  #target(event) {
    const wide = event.ctrlKey || event.altKey;
    const turned = getComputedStyle(this.region).direction === "rtl" ? -1 : 1;
    switch (event.key) {
      case "ArrowRight": return this.#border(wide ? "word" : "grapheme", turned);
      case "ArrowLeft": return this.#border(wide ? "word" : "grapheme", -turned);
      case "ArrowDown": return wide ? this.#border("sentence", 1) : this.#line(1, false);
      case "ArrowUp": return wide ? this.#border("sentence", -1) : this.#line(-1, false);
      case "Home": return wide ? 0 : this.#line(-1, true);
      case "End": return wide ? this.view.text.length : this.#line(1, true);
      default: return null;
    }
  }

  #pressed(event) {
    if (isComposing(event) || event.defaultPrevented) return;
    if (event.metaKey && event.key.startsWith("Arrow")) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "a") {
      event.preventDefault();
      this.select(0, this.view.text.length);
      return;
    }
    if ([".", "。", "．"].includes(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      this.#sentence();
      return;
    }
    if (event.key === "Escape" && this.anchor !== this.focus) {
      event.preventDefault();
      this.select(this.focus, this.focus);
      return;
    }
    const target = this.#target(event);
    if (target === null) return;
    event.preventDefault();
    this.select(event.shiftKey ? this.anchor : target, target);
  }

  /* Selects the sentence around the caret; extends a selection by the next one. */
  #sentence() {
    const { text } = this.view;
    const [start, end] = [this.start, this.end];
    /* White space belongs to the sentence before it, and the caret may be in it. */
    const next = end + /^[\s\u200b]*/u.exec(text.slice(end, end + SMALL))[0].length;
    this.focus = next;
    const to = this.#border("sentence", 1);
    let from = start;
    if (start === end) {
      this.focus = Math.min(next + 1, text.length);
      from = this.#border("sentence", -1);
    }
    this.select(from, to);
  }

  #show() {
    const selection = getSelection();
    if (document.activeElement !== this.region) return;
    const [node, offset] = placeOf(this.region, this.focus, this.focus !== this.view.text.length);
    const range = document.createRange();
    range.setStart(node, offset);
    const frame = this.region.parentElement.getBoundingClientRect();
    let box = range.getClientRects()[0];
    if (!box || !box.height) {
      /* A position at a line's end or in an empty text has no box. */
      range.setStart(node, Math.max(0, offset - 1));
      const before = [...range.getClientRects()].at(-1) ?? this.region.getBoundingClientRect();
      const ended = node.nodeType === Node.TEXT_NODE && node.data[offset - 1] === "\n";
      box = ended ? { left: this.region.getBoundingClientRect().left, top: before.bottom, height: before.height || 20 }
        : { left: before.right, top: before.top, height: before.height || 20 };
    }
    this.sign.hidden = selection.rangeCount === 0 && this.anchor !== this.focus;
    const { scrollLeft, scrollTop } = this.region.parentElement;
    this.sign.style.left = `${box.left - frame.left + scrollLeft}px`;
    this.sign.style.top = `${box.top - frame.top + scrollTop}px`;
    this.sign.style.height = `${box.height}px`;
    const { innerHeight } = window;
    if (box.top < 80 || box.top + box.height > innerHeight - 90) this.sign.scrollIntoView({ block: "center" });
  }
}
