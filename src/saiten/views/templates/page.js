"use strict";
const LONG = 1000; /* Maximum rows that are drawn at once, and filtered at each key. */
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/* A search finds what contains all of its words, in any case and in full or half width. */
const folded = (text) => text.normalize("NFKC").toLowerCase();
const wantedWords = (text) => folded(text).split(/\s+/u).filter(Boolean);

/* Filter at each key, or in a long list once the typing pauses. */
function onTyping(input, count, filter) {
  let waiting = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, count > LONG ? 150 : 0);
  });
}

(() => {
  const words = document.body.dataset;
  const STEP = 300; /* Rows that are added to a long table at once. */

  /* The sort key of a cell: its number or its text. Empty cells come last in both directions. */
  function keyOf(cell) {
    if (!cell.matches(".number, .interval")) return cell.matches(".none") ? null : cell.textContent;
    const value = Number(cell.dataset.v ?? cell.textContent);
    return Number.isNaN(value) ? null : value;
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === "number" || typeof b === "number") return typeof a === "number" ? -1 : 1;
    return collator.compare(a, b);
  }

  function sorted(rows, place, sign) {
    const keys = new Map(rows.map((row) => [row, keyOf(row.cells[place])]));
    return [...rows].sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      return x === null || y === null ? (x === null) - (y === null) : sign * compare(x, y);
    });
  }

  /* The rows of a table, sorted and filtered. A long table grows while it is scrolled. */
  function rowsOf(table) {
    const body = table.tBodies[0];
    const box = table.closest(".box");
    const all = [...body.rows].filter((row) => !row.matches(".below"));
    const below = new Map(all.map((row) => [row, row.nextElementSibling?.matches(".below") ? row.nextElementSibling : null]));
    const state = { all, below, order: all, fits: () => true, found: all, shown: Infinity };
    const step = all.length > LONG ? STEP : Infinity;
    function grow(by) {
      body.append(...state.found.slice(state.shown, state.shown + by).flatMap((row) => (below.get(row) ? [row, below.get(row)] : [row])));
      state.shown += by;
    }
    state.show = () => {
      state.found = state.order.filter(state.fits);
      state.shown = 0;
      body.replaceChildren();
      grow(step);
      box.scrollTop = 0;
    };
    if (step !== Infinity) {
      table.setAttribute("aria-rowcount", all.length + 1);
      state.show();
      box.addEventListener("scroll", () => {
        if (state.shown < state.found.length && box.scrollTop + 3 * box.clientHeight > box.scrollHeight) grow(step);
      });
      window.addEventListener("beforeprint", () => grow(Infinity));
    }
    return state;
  }

  function makeSortable(table, rows) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      const label = head.querySelector("span");
      const button = document.createElement("button");
      button.type = "button";
      button.title = words.sort;
      button.append(...label.childNodes);
      label.replaceWith(button);
      /* Numbers are sorted descending first, names ascending; the third click restores the original order. */
      const ways = ["ascending", "descending"];
      if (head.matches(".number, .interval")) ways.reverse();
      button.addEventListener("click", () => {
        const now = ways[ways.indexOf(head.getAttribute("aria-sort")) + 1];
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        if (now !== undefined) head.setAttribute("aria-sort", now);
        rows.order = now === undefined ? rows.all : sorted(rows.all, place, now === "ascending" ? 1 : -1);
        rows.show();
      });
    });
  }

  function addFilter(table, rows) {
    const line = document.createElement("div");
    const label = document.createElement("label");
    const input = document.createElement("input");
    const count = document.createElement("output");
    line.className = "filter";
    line.lang = document.documentElement.lang;
    input.type = "search";
    label.append(words.filter, input);
    line.append(label, count);
    table.closest(".box").before(line);
    const say = () => {
      count.textContent = words.counted.replace("{shown}", rows.found.length).replace("{all}", rows.all.length);
    };
    let texts = null;
    input.addEventListener("input", () => {
      texts ??= new Map(rows.all.map((row) => [row, folded([...row.cells, ...(rows.below.get(row)?.cells ?? [])].map((cell) => cell.textContent).join("\n"))]));
      const wanted = wantedWords(input.value);
      rows.fits = (row) => wanted.every((word) => texts.get(row).includes(word));
      rows.show();
      say();
    });
    say();
  }

  /* In a notebook's frame, links within the page would lead to the notebook, whose address counts for them. */
  if (location.protocol === "about:") {
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.('a[href^="#"]');
      if (!link || event.defaultPrevented) return;
      event.preventDefault();
      if (location.hash === link.hash) document.getElementById(link.hash.slice(1))?.scrollIntoView();
      else location.hash = link.hash;
    });
  }

  /* Open a folded table or chapter that is linked to, and all of them for printing. */
  const unfold = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (!target) return;
    const folded = [];
    for (let fold = target.closest("details.fold"); fold; fold = fold.parentElement.closest("details.fold")) folded.push(fold);
    if (folded.every((fold) => fold.open)) return;
    for (const fold of folded) fold.open = true;
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", unfold);
  document.querySelector("nav")?.addEventListener("click", () => setTimeout(unfold));
  unfold();
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details.fold:not([open])")];
    for (const fold of opened) fold.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });

  for (const table of document.querySelectorAll("table:not(.lines, .overview)")) {
    const rows = rowsOf(table);
    if (rows.all.length > 1) makeSortable(table, rows);
    if (rows.all.length >= Number(words.from)) addFilter(table, rows);
  }
})();
