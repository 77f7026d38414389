/* The matrix on the page: of thousands of rows of one height only those near the visible ones are in the document. */
function answerGrid({ elements, cells, words }, { onOpen, onSort }) {
  const { make } = elements;
  const LINES = { compact: 1, normal: 3, tall: 7 };
  const [LINE, MARKS, AROUND, ASKED] = [1.25, 1.5, 0.75, 4.1]; /* Heights in rem: of a line, of marks, of the space around, of a question above an answer. */
  const [WIDE, NARROW] = [{ asked: 13, most: 22, answer: 14, mark: 5.4, gap: 7.8 }, 34]; /* Widths in rem. */
  const FITTING = 4; /* Narrow letters in a rem of a line. */
  const BEYOND = 3; /* Rows in the document above and below the visible ones. */
  const HIGHEST = 15_000_000; /* Pixels that every browser can scroll. */
  let shown = { rows: [], columns: [], scores: [], baseline: null, reference: false };
  let [height, widths, seen, narrow] = [100, [], 0, false];
  let longest = 0; /* Maximum characters that fit into a cell. */
  let active = { row: 0, place: 0 };
  let stop = null; /* The cell that Tab reaches. */
  const drawn = new Map();

  const heads = make("div", "heads");
  const body = make("div", "rows");
  const element = make("div", "matrix", heads, body);
  element.setAttribute("role", "grid");
  element.setAttribute("aria-label", words.list);
  heads.setAttribute("role", "row");
  heads.setAttribute("aria-rowindex", 1);
  body.setAttribute("role", "rowgroup");

  const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);
  /* The places in a row: the question, the reference, the columns. */
  const places = () => 1 + (shown.reference ? 1 : 0) + shown.columns.length;
  const columnAt = (place) => shown.columns[place - (places() - shown.columns.length)];

  /* Widths and the height of a row, from the width of the page and what is shown. */
  function measure() {
    const unit = rem();
    const width = element.clientWidth / unit;
    narrow = width < NARROW;
    const texts = places() - 1;
    const asked = narrow ? width : Math.min(WIDE.most, Math.max(WIDE.asked, width * 0.22));
    const answer = narrow ? width : Math.max(WIDE.answer, (width - asked) / Math.max(1, texts));
    widths = [asked, ...Array(texts).fill(answer)].map((each) => Math.floor(each * unit));
    const perLine = Math.max(1, Math.min(shown.scores.length || 1, Math.floor((answer - 1.2) / (shown.baseline ? WIDE.gap : WIDE.mark))));
    const marks = Math.ceil(shown.scores.length / perLine);
    const own = (lines) => Math.round(unit * (AROUND + marks * MARKS + lines * LINE) + (narrow ? unit * ASKED : 0));
    const lines = [LINES[shown.height] ?? LINES.normal, LINES.normal, LINES.compact].find((each) => each === 1 || own(each) * shown.rows.length < HIGHEST);
    height = own(lines);
    longest = Math.ceil((lines + 1) * answer * FITTING);
    element.classList.toggle("stacked", narrow);
    element.classList.toggle("compact", lines === 1);
    for (const [name, value] of [["per-line", perLine], ["lines", lines], ["lines-below", Math.max(1, lines - 1)], ["asked-lines", narrow ? 2 : Math.max(1, lines + Math.floor((marks * MARKS) / LINE) - 1)]]) element.style.setProperty(`--${name}`, value);
    element.style.setProperty("--columns", narrow ? "100%" : widths.map((each) => `${each}px`).join(" "));
    element.style.setProperty("--row", `${height}px`);
    const total = narrow ? "100%" : `${widths.reduce((sum, each) => sum + each, 0)}px`;
    element.style.setProperty("--total", total);
    body.style.height = `${height * shown.rows.length}px`;
  }

  /* `kind`: a role; the class says what is in the cell. */
  function cellOf(kind, name, place, content) {
    const made = make("div", name, ...content);
    made.setAttribute("role", kind);
    made.setAttribute("aria-colindex", place + 1);
    made.dataset.place = place;
    made.tabIndex = -1;
    return made;
  }

  function drawHeads() {
    heads.replaceChildren(
      cellOf("columnheader", "asked", 0, [make("div", "title", words.question), make("div", "meta", cells.counted(shown.rows.length, shown.of))]),
      ...(shown.reference ? [cellOf("columnheader", "known", 1, [make("div", "title", words.reference)])] : []),
      ...shown.columns.map((column, at) => headOf(column, places() - shown.columns.length + at)),
    );
    if (shown.sorting?.first) heads.firstChild.setAttribute("aria-sort", shown.sorting.first);
  }

  function headOf(column, place) {
    const sorting = shown.sorting?.column === column ? shown.sorting : null;
    const made = cellOf("columnheader", "head", place, cells.head(column, shown.scores, shown, { onSort, sorting, baseline: column === shown.baseline }));
    if (sorting) made.setAttribute("aria-sort", sorting.way === "lowest" ? "ascending" : "descending");
    return made;
  }

  function rowAt(at) {
    const row = shown.rows[at];
    const made = make("div", "row");
    made.setAttribute("role", "row");
    made.setAttribute("aria-rowindex", at + 2);
    made.dataset.at = at;
    made.style.top = `${at * height}px`;
    made.append(...contentOf(row, made));
    return made;
  }

  /* The cells of a row, which is `pending` until all of its texts are there. */
  function contentOf(row, made) {
    const base = shown.baseline ? row.cells.get(shown.baseline.at) : undefined;
    const texts = [];
    if (shown.reference) texts.push(["known", cells.reference(row, longest)]);
    for (const column of shown.columns) {
      const number = row.cells.get(column.at);
      if (number === undefined) texts.push(["missing", [make("span", "", "–")]]);
      else texts.push([shown.filtered && shown.fits(number) ? "cell hit" : "cell", cells.answer(number, shown.scores, column === shown.baseline ? undefined : base, longest)]);
    }
    made.classList.toggle("pending", texts.some(([, content]) => content === null));
    return [
      cellOf("rowheader", "asked", 0, cells.question(row)),
      ...texts.map(([name, content], at) => cellOf("gridcell", name, at + 1, content ?? [make("span", "waiting", "…")])),
    ];
  }

  /* The row with the focus stays in the document wherever the page is scrolled to. */
  function draw() {
    const visible = Math.ceil(Math.max(element.clientHeight, 400) / height);
    const first = Math.max(0, Math.floor(element.scrollTop / height) - BEYOND);
    const last = Math.min(shown.rows.length, first + visible + 2 * BEYOND);
    seen = Math.max(1, visible - 2);
    const wanted = (at) => (at >= first && at < last) || at === active.row;
    for (const [at, made] of drawn) {
      if (wanted(at)) continue;
      made.remove();
      drawn.delete(at);
    }
    const added = [];
    for (const at of new Set([...Array.from({ length: Math.max(0, last - first) }, (_, each) => first + each), active.row])) {
      if (at < 0 || at >= shown.rows.length || drawn.has(at)) continue;
      drawn.set(at, rowAt(at));
      added.push(drawn.get(at));
    }
    body.append(...added);
    rove();
  }

  function redraw() {
    const focused = element.contains(document.activeElement);
    for (const made of drawn.values()) made.remove();
    drawn.clear();
    drawHeads();
    measure();
    draw();
    if (focused) cellAt(active)?.focus({ preventScroll: true });
  }

  /* Fill the rows that wait for texts, and those that `changed`. */
  function fillIn(changed = () => false) {
    for (const [at, made] of drawn) {
      if (!made.matches(".pending") && !changed(shown.rows[at])) continue;
      const focused = made.contains(document.activeElement);
      made.replaceChildren(...contentOf(shown.rows[at], made));
      rove();
      if (focused) cellAt(active)?.focus({ preventScroll: true });
    }
  }

  /* One cell can be reached with Tab: the active one. Row -1 are the heads. */
  const cellAt = ({ row, place }) => (row < 0 ? heads : drawn.get(row))?.children[place];
  function rove() {
    const target = cellAt(active) ?? null;
    if (target === stop) return;
    if (stop) stop.tabIndex = -1;
    if (target) target.tabIndex = 0;
    stop = target;
  }

  function moveTo(row, place, focus = true) {
    active = { row: Math.max(-1, Math.min(shown.rows.length - 1, row)), place: Math.max(0, Math.min(places() - 1, place)) };
    if (active.row >= 0) intoSight();
    draw();
    if (focus) cellAt(active)?.focus({ preventScroll: true });
  }

  function intoSight() {
    const [top, under] = [active.row * height, heads.offsetHeight];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + height + under > element.scrollTop + element.clientHeight) element.scrollTop = top + height + under - element.clientHeight;
    if (narrow || active.place === 0) return;
    const left = widths.slice(0, active.place).reduce((sum, each) => sum + each, 0);
    if (left - widths[0] < element.scrollLeft) element.scrollLeft = left - widths[0];
    else if (left + widths[active.place] > element.scrollLeft + element.clientWidth) element.scrollLeft = left + widths[active.place] - element.clientWidth;
  }

  /* The answer in the place, or the first one in a column, or else the first one to the question. */
  function open({ row, place }) {
    const { cells: answers, first } = shown.rows[row];
    const inColumns = [columnAt(place), ...shown.columns].map((column) => answers.get(column?.at));
    onOpen(inColumns.find((each) => each !== undefined) ?? first);
  }

  function onKey(event) {
    if (event.altKey || event.metaKey) return;
    const { row, place } = active;
    const inHead = event.target.matches("button");
    if (inHead) return onHeadKey(event);
    const [low, high] = event.ctrlKey ? [0, shown.rows.length - 1] : [row, row];
    const to = {
      ArrowDown: [row + 1, place], ArrowUp: [row - 1, place], ArrowRight: [row, place + 1], ArrowLeft: [row, place - 1],
      PageDown: [row + seen, place], PageUp: [Math.max(0, row - seen), place], Home: [low, 0], End: [high, places() - 1],
    }[event.key];
    if (to) moveTo(...to);
    else if (event.key !== "Enter" && event.key !== " ") return;
    else if (row >= 0) open(active);
    else cellAt(active)?.querySelector("button")?.focus();
    event.preventDefault();
  }

  /* Within a head: its buttons with left and right, back with Escape. */
  function onHeadKey(event) {
    const buttons = [...event.target.closest("[role=columnheader]").querySelectorAll("button")];
    const at = buttons.indexOf(event.target);
    if (event.key === "Escape") moveTo(-1, active.place);
    else if (event.key === "ArrowRight" || event.key === "ArrowDown") buttons[Math.min(buttons.length - 1, at + 1)].focus();
    else if (event.key === "ArrowLeft" || event.key === "ArrowUp") buttons[Math.max(0, at - 1)].focus();
    else return;
    event.preventDefault();
  }

  element.addEventListener("keydown", onKey);
  element.addEventListener("focusin", (event) => {
    const cell = event.target.closest("[data-place]");
    const row = cell?.closest(".row");
    if (cell) active = { row: row ? Number(row.dataset.at) : -1, place: Number(cell.dataset.place) };
    rove();
  });
  body.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-place]");
    if (!cell || getSelection().toString()) return;
    open({ row: Number(cell.parentElement.dataset.at), place: Number(cell.dataset.place) });
  });
  let waiting = 0;
  element.addEventListener("scroll", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(draw);
  }, { passive: true });
  let width = 0;
  new ResizeObserver(() => {
    if (element.clientWidth === width) return draw();
    width = element.clientWidth;
    redraw();
  }).observe(element);

  /* Show rows and columns; other rows from the top. */
  function show(what) {
    const anew = what.rows !== shown.rows;
    shown = what;
    element.setAttribute("aria-rowcount", shown.rows.length + 1);
    element.setAttribute("aria-colcount", places());
    if (anew) {
      active = { row: 0, place: 0 };
      element.scrollTop = 0;
    }
    active = { row: Math.min(active.row, shown.rows.length - 1), place: Math.min(active.place, places() - 1) };
    redraw();
  }

  /* Go to the cell of an answer. */
  function goTo(row, column, focus) {
    moveTo(row, Math.max(0, shown.columns.indexOf(column)) + places() - shown.columns.length, focus);
  }

  return { element, show, goTo, fillIn, isNarrow: () => element.clientWidth / rem() < NARROW, focus: () => moveTo(active.row, active.place) };
}
