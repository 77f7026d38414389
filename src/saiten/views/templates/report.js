/* The answers of a report: unpacks the data in the page and puts its parts together. Each part is a factory function in a
   file of its own, report_*.js, and gets its collaborators as arguments.

   `grading` is an optional collaborator: a person's grades, kept by someone else. An answer is known by its number, its
   place in the index, which is also that in its address, #item-NUMBER.

     grading.controls(number)   an element with the controls for this answer; shown below the opened answer
     grading.mark(number)       a small element for the answer's cell in the matrix, or null if there is no grade; it
                                must have a text or an aria-label, and be at most 1.25rem high
     grading.graded(number)     whether there is a grade, for the filter "graded by me / not yet"
     grading.onChange(listener) calls `listener(number)` after each change: the answer's cell is drawn anew

   The filter is shown only if there is a `grading`. */
(async () => {
  const root = document.getElementById("browser");
  if (!root) return;
  const data = (id) => document.getElementById(id).textContent;
  const words = JSON.parse(data("report-words"));
  const STATUSES = JSON.parse(data("report-statuses"));
  const packs = [...document.querySelectorAll("script.pack")];
  const named = (text, parts) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in parts ? parts[name] : whole));

  /* Make an element of a class; strings in its content become text, never markup. */
  function make(tag, name, ...content) {
    const made = document.createElement(tag);
    if (tag === "button") made.type = "button";
    if (name) made.className = name;
    made.append(...content.filter((each) => each !== null && each !== undefined && each !== false));
    return made;
  }

  function remark(text) {
    root.replaceChildren(make("p", "nobody", text));
  }

  async function unpack(text) {
    const plain = atob(text);
    const bytes = new Uint8Array(plain.length);
    for (let at = 0; at < plain.length; at += 1) bytes[at] = plain.charCodeAt(at);
    const opened = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(opened).text());
  }

  if (typeof DecompressionStream === "undefined") return remark(words.too_old);
  remark(words.loading);
  let index;
  try {
    index = await unpack(data("report-index"));
  } catch {
    return remark(words.broken);
  }

  /* Packs are opened when they are needed; the last 16 are kept. */
  const opened = new Map();
  function pack(number) {
    if (!opened.has(number)) {
      opened.set(number, unpack(packs[number].textContent));
      if (opened.size > 16) opened.delete(opened.keys().next().value);
    }
    return opened.get(number);
  }
  async function sampleAt(number) {
    let at = index.starts.length - 1;
    while (index.starts[at] > number) at -= 1;
    return (await pack(at))[number - index.starts[at]];
  }

  const name = (column, number) => (index[column].rows[number] < 0 ? "" : index[column].names[index[column].rows[number]]);
  /* The metrics of each run: the list shows only those of a chosen run. */
  const measuredBy = index.runs.map(() => new Set());
  index.metrics.forEach((metric, at) => {
    for (let number = 0; number < index.count; number += 1) if (metric.statuses[number] !== "-") measuredBy[index.run[number]].add(at);
  });

  /* Answers shown side by side: to one question, by different runs or systems. */
  const groups = new Map();
  index.beside.forEach((group, number) => groups.has(group) ? groups.get(group).push(number) : groups.set(group, [number]));
  const sides = (number) => groups.get(index.beside[number]);
  const MOST_SIDES = 200; /* Maximum answers of a group that are compared; of a larger group, the first ones. */
  const has = (metric, number) => metric.statuses[number] !== "-";
  const compared = index.metrics.filter((metric) =>
    [...groups.values()].some((group) => group.length > 1 && group.filter((number) => has(metric, number)).length > 1),
  );
  const difference = compared.length > 0 && { title: "", kind: "difference", key: (n) => gaps[n] };

  /* Figures before texts, since people look for them; on a narrow screen they are next to the id. */
  const origins = [
    index.runs.length > 1 && { title: words.of_run, kind: "where", key: (n) => index.runs[index.run[n]] },
    index.system.names.length > 0 && { title: words.system, kind: "where", key: (n) => name("system", n) },
  ];
  const narrow = matchMedia("(max-width: 40rem)").matches;
  const every = [
    { title: words.id, kind: "id", key: (n) => index.id[n] },
    ...(narrow ? [] : origins),
    difference,
    ...index.metrics.map((metric, at) => ({ title: metric.name, kind: "value", at, key: (n) => metric.values[n] })),
    ...(narrow ? origins : []),
    index.group.names.length > 0 && { title: words.group, kind: "where", key: (n) => name("group", n) },
    { title: words.question, kind: "begins", key: (n) => index.question[n] },
  ].filter(Boolean);
  let columns = every;
  const langOf = (number) => name("language", number) || document.documentElement.lang;

  /* The value of a full bar by metric; 0 for no bars, if there are negative values. */
  const highest = index.metrics.map((metric) => {
    let [low, high] = [0, 0];
    for (const value of metric.values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return low < 0 ? 0 : high <= 1 ? 1 : high;
  });

  /* The filters. */
  const filters = make("div", "filters");
  filters.setAttribute("role", "search");
  function field(text, control, line = filters) {
    control.setAttribute("aria-label", text);
    line.append(make("label", "", text, control));
    return control;
  }
  function choice(text, options) {
    const select = make("select");
    select.append(new Option(words.all, ""), ...options.map((option, at) => new Option(option, at)));
    return field(text, select);
  }
  function menu(text, options, line) {
    const select = make("select");
    select.append(...options.map(([value, option]) => new Option(option, value)));
    return field(text, select, line);
  }
  const search = field(words.search, make("input"));
  search.type = "search";
  const selects = [];
  const ofRun = index.runs.length > 1 ? choice(words.of_run, index.runs) : null;
  if (ofRun) selects.push([ofRun, index.run]);
  for (const column of ["system", "group", "language"]) {
    if (index[column].names.length > 1) selects.push([choice(words[column], index[column].names), index[column].rows]);
  }
  const ofMetric = choice(words.metric, index.metrics.map((metric) => metric.name));
  const [least, most] = [words.from, words.to].map((text) => {
    const input = field(text, make("input"));
    input.type = "number";
    input.step = "any";
    return input;
  });
  const status = choice(words.status, STATUSES);
  const reset = make("button", "plain", words.reset);
  const count = make("output");
  filters.append(reset, count);

  /* The settings for answers shown side by side. */
  const ORDERS = ["largest", "highest", "lowest"];
  const pairing = make("div", "filters pairing");
  pairing.setAttribute("role", "group");
  pairing.setAttribute("aria-label", words.beside);
  const sidesOf = [
    ...(index.runs.length > 1 ? index.runs.map((run, at) => [`run ${at}`, `${words.of_run}: ${run}`]) : []),
    ...(index.system.names.length > 1 ? index.system.names.map((system, at) => [`system ${at}`, `${words.system}: ${system}`]) : []),
  ];
  const ofDifference = menu(words.difference_in, compared.map((metric, at) => [at, metric.name]), pairing);
  const against = menu(words.against, [["", words.others], ...sidesOf], pairing);
  const ordering = menu(words.order, [["", words.as_they_came], ...ORDERS.map((order) => [order, words[order]])], pairing);
  const onlyDiffering = make("input");
  onlyDiffering.type = "checkbox";
  pairing.append(make("label", "tick", onlyDiffering, words.only_differing));

  /* The list: `order` has all rows, and the page those near the visible ones. */
  const box = make("div", "box list");
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", words.list);
  const table = make("table");
  const head = make("tr");
  const body = make("tbody");
  table.append(make("caption", "unseen", words.list), make("thead", "", head), body);
  box.append(table);
  box.classList.toggle("short", index.count <= 12);
  const nobody = make("p", "nobody", words.nobody);
  nobody.hidden = true;
  root.replaceChildren(filters, ...(difference ? [pairing] : []), box, nobody, make("p", "keys", words.keys));

  const all = Array.from({ length: index.count }, (_, number) => number);
  let sorting = { column: null, by: "" }; /* One of `every`, and one of its `ways`. */
  let sorted = all;
  let order = all;
  let texts = null; /* The whole text of each sample, folded; made by the first search. */
  let active = 0;
  let height = 34;
  const LEAST = 500; /* Minimum height in pixels to fill with rows, since the box is low at first. */

  for (const column of every) {
    const numeric = column.kind === "value" || column.kind === "difference";
    const ways = column.kind === "difference" ? ORDERS : numeric ? ["highest", "lowest"] : ["lowest", "highest"];
    const cell = make("th", numeric ? "number" : "");
    cell.scope = "col";
    const button = make("button", "", ...breakable(column.title));
    button.title = words.sort;
    cell.append(button);
    column.head = cell;
    button.addEventListener("click", () => sortBy(column, ways[sorting.column === column ? ways.indexOf(sorting.by) + 1 : 0]));
  }
  head.append(...every.map((column) => column.head));

  /* Allow line breaks after the words of a metric's name, so that its column is no wider than its figures. */
  function breakable(title) {
    return title.split(/(?<=[_@:,=\]-])(?=.)|(?=\[)/u).flatMap((word, at) => (at ? [make("wbr"), word] : [word]));
  }

  function sortBy(column, by) {
    sorting = by ? { column, by } : { column: null, by: "" };
    for (const each of every) each.head.removeAttribute("aria-sort");
    if (by) column.head.setAttribute("aria-sort", { lowest: "ascending", highest: "descending", largest: "other" }[by]);
    ordering.value = column === difference ? (by ?? "") : "";
    sort();
    filter();
  }

  /* Empty values come last in both directions; answers to one question with equal differences stay together. */
  function sort() {
    if (sorting.column === null) {
      sorted = all;
      return;
    }
    const { key, kind } = sorting.column;
    const sign = sorting.by === "lowest" ? 1 : -1;
    const keys = sorting.by === "largest" ? all.map((number) => (gaps[number] === null ? null : Math.abs(gaps[number]))) : all.map(key);
    const none = (value) => value === null || value === "";
    const together = (a, b) => (kind === "difference" ? index.beside[a] - index.beside[b] : 0) || a - b;
    sorted = [...all].sort((a, b) => {
      const [x, y] = [keys[a], keys[b]];
      if (none(x) || none(y)) return none(x) - none(y) || a - b;
      return sign * (typeof x === "number" ? x - y : collator.compare(x, y)) || together(a, b);
    });
  }

  /* The answers that one is compared with: all others of its group, or those of the chosen run or system. Of these, only
     those that differ in nothing else, if any: the same id in another run, or another system in the same run. */
  function others(number) {
    const [kind, at] = against.value.split(" ");
    const found = sides(number).slice(0, MOST_SIDES).filter((other) => other !== number);
    if (!kind) return found;
    const rows = kind === "run" ? index.run : index.system.rows;
    const same = kind === "run" ? index.id : index.run;
    const chosen = found.filter((other) => rows[other] === Number(at));
    const nearest = chosen.filter((other) => same[other] === same[number]);
    return nearest.length ? nearest : chosen;
  }

  /* By answer: the largest difference from another one, or null; and whether there is any difference. */
  let gaps = [];
  let differing = [];
  function measure() {
    gaps = Array(index.count).fill(null);
    differing = Array(index.count).fill(false);
    const metric = compared[ofDifference.value];
    for (const number of all) {
      if (sides(number).length < 2 || !has(metric, number)) continue;
      const value = metric.values[number];
      for (const other of others(number)) {
        if (!has(metric, other)) continue;
        if (metric.statuses[other] !== metric.statuses[number]) differing[number] = true;
        if (value === null || metric.values[other] === null) continue;
        const gap = value - metric.values[other];
        if (gap) differing[number] = true;
        if (gaps[number] === null || Math.abs(gap) > Math.abs(gaps[number])) gaps[number] = gap;
      }
    }
    difference.head.firstChild.replaceChildren(...breakable(named(words.difference, { metric: metric.name })));
    if (sorting.column === difference) sort();
  }

  function stringsOf(value, found) {
    if (typeof value === "string") found.push(value);
    else if (Array.isArray(value)) for (const each of value) stringsOf(each, found);
    else if (value !== null && typeof value === "object") for (const each of Object.values(value)) stringsOf(each, found);
    return found;
  }

  let reading = null;
  async function readAll() {
    const found = [];
    for (let at = 0; at < packs.length; at += 1) {
      for (const sample of await unpack(packs[at].textContent)) {
        const number = found.length;
        const { scores = [], gist, ...rest } = sample;
        const said = scores.flatMap(([, score]) => [score.reason ?? "", ...(score.lines ?? []).flatMap((line) => line.slice(2))]);
        found.push(folded([index.id[number], name("system", number), name("group", number), ...stringsOf(rest, []), ...said].join("\n")));
      }
      count.textContent = named(words.searching, { percent: Math.round((100 * (at + 1)) / packs.length) });
    }
    texts = found;
  }

  let asked = 0;
  async function filter() {
    const turn = (asked += 1);
    const wanted = wantedWords(search.value);
    if (wanted.length && texts === null) {
      reading ??= readAll();
      await reading;
      if (turn !== asked) return;
    }
    const chosen = selects.filter(([select]) => select.value !== "").map(([select, rows]) => [Number(select.value), rows]);
    const metric = ofMetric.value === "" ? null : index.metrics[ofMetric.value];
    const [low, high] = [least, most].map((input) => (input.value === "" ? null : Number(input.value)));
    const wantedStatus = status.value;
    const fits = (one, number) => wantedStatus === "" || one.statuses[number] === wantedStatus;
    const within = (one, number) =>
      (low === null && high === null) ||
      (one.values[number] !== null && (low === null || one.values[number] >= low) && (high === null || one.values[number] <= high));
    const ranged = low !== null || high !== null || wantedStatus !== "";
    order = sorted.filter(
      (number) =>
        chosen.every(([value, rows]) => rows[number] === value) &&
        (!ranged ||
          (metric ? fits(metric, number) && within(metric, number) : index.metrics.some((one) => fits(one, number) && within(one, number)))) &&
        (!onlyDiffering.checked || differing[number]) &&
        wanted.every((word) => texts[number].includes(word)),
    );
    const run = ofRun === null || ofRun.value === "" ? null : measuredBy[ofRun.value];
    columns = every.filter((column) => column.kind !== "value" || run === null || run.has(column.at));
    head.replaceChildren(...columns.map((column) => column.head));
    active = 0;
    box.scrollTop = 0;
    table.setAttribute("aria-rowcount", order.length + 1);
    count.textContent = named(words.found, { shown: order.length, all: index.count });
    nobody.hidden = order.length > 0;
    draw(true);
  }

  let drawn = [-1, -1];
  function draw(anew) {
    const seen = Math.ceil(Math.max(box.clientHeight, LEAST) / height);
    const first = Math.max(0, Math.floor(box.scrollTop / height) - seen);
    const last = Math.min(order.length, first + 3 * seen);
    if (!anew && first === drawn[0] && last === drawn[1]) return;
    drawn = [first, last];
    const focused = body.contains(document.activeElement);
    const rows = [];
    if (first > 0) rows.push(gap(first));
    for (let at = first; at < last; at += 1) rows.push(row(at));
    if (last < order.length) rows.push(gap(order.length - last));
    body.replaceChildren(...rows);
    if (focused) buttonAt(active)?.focus({ preventScroll: true });
  }

  function gap(rows) {
    const made = make("tr", "gap", make("td"));
    made.setAttribute("aria-hidden", "true");
    made.firstChild.colSpan = columns.length;
    made.style.height = `${rows * height}px`;
    return made;
  }

  function row(at) {
    const number = order[at];
    const made = make("tr");
    made.setAttribute("aria-rowindex", at + 2);
    made.dataset.at = at;
    for (const column of columns) made.append(cell(column, number, at));
    return made;
  }

  function cell(column, number, at) {
    if (column.kind === "id") {
      const button = make("button", "", index.id[number] || "–");
      button.tabIndex = at === active ? 0 : -1;
      button.title = index.id[number];
      const made = make("th", "", button);
      made.scope = "row";
      return made;
    }
    const value = column.key(number);
    if (column.kind === "difference") return make("td", value === null ? "other" : "number", value === null ? "–" : signed(value));
    if (column.kind !== "value") {
      const made = make("td", column.kind ?? "", value);
      made.title = value;
      if (column.kind === "begins") made.lang = langOf(number);
      return made;
    }
    if (value !== null) {
      const made = make("td", "number", shown(value));
      if (highest[column.at] > 0) {
        made.classList.add("bar");
        made.style.setProperty("--share", `${Math.max(0, Math.min(100, (100 * value) / highest[column.at]))}%`);
      }
      return made;
    }
    const other = index.metrics[column.at].statuses[number];
    return make("td", "other", other === "-" ? "–" : STATUSES[other]);
  }

  const shown = (value) => value.toFixed(3);
  const signed = (gap) => {
    const size = Math.abs(gap);
    return gap === 0 ? "±0" : `${gap > 0 ? "+" : "−"}${size < 0.0005 ? size.toPrecision(1) : shown(size)}`;
  };
  const buttonAt = (at) => body.querySelector(`tr[data-at="${at}"] button`);
  box.addEventListener("scroll", () => draw(false), { passive: true });
  new ResizeObserver(() => draw(true)).observe(box);

  body.addEventListener("click", (event) => {
    const at = event.target.closest("tr[data-at]")?.dataset.at;
    if (at !== undefined && !getSelection().toString()) open(Number(at));
  });
  body.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(box.clientHeight / height) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -order.length, End: order.length };
    if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    moveTo(active + steps[event.key]);
    buttonAt(active)?.focus({ preventScroll: true });
  });

  function moveTo(at) {
    active = Math.max(0, Math.min(order.length - 1, at));
    const top = active * height;
    const under = head.getBoundingClientRect().height;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + height + under > box.scrollTop + box.clientHeight) box.scrollTop = top + height + under - box.clientHeight;
    draw(true);
  }

  onTyping(search, index.count, filter);
  for (const control of [...selects.map(([select]) => select), ofMetric, least, most, status]) control.addEventListener("input", filter);
  reset.addEventListener("click", () => {
    for (const control of filters.querySelectorAll("input, select")) control.value = "";
    onlyDiffering.checked = false;
    filter();
  });
  for (const control of [ofDifference, against]) {
    control.addEventListener("input", () => {
      measure();
      filter();
    });
  }
  ordering.addEventListener("input", () => sortBy(difference, ordering.value));
  onlyDiffering.addEventListener("input", filter);

  /* One sample in full. */
  const drawer = make("dialog", "sample");
  drawer.setAttribute("aria-labelledby", "sample-id");
  const place = make("span", "place");
  const [before, after, close] = [words.previous, words.next, words.close].map((text) => make("button", "", text));
  close.classList.add("close");
  const full = make("div", "body");
  drawer.append(make("div", "top", before, after, place, close), full);
  document.body.append(drawer);
  close.addEventListener("click", () => drawer.close());
  before.addEventListener("click", () => open(active - 1));
  after.addEventListener("click", () => open(active + 1));
  drawer.addEventListener("click", (event) => event.target === drawer && drawer.close());
  /* Back closes an answer, and a changed address opens one. The next answer reuses the history entry of a closed one. */
  const SPARE = "spare";
  const linked = () => {
    const found = /^#item-(\d+)$/.exec(location.hash);
    return found && Number(found[1]) < index.count ? Number(found[1]) : -1;
  };
  const here = (hash) => location.href.split("#", 1)[0] + hash; /* in a frame, "#…" alone would be the notebook's */
  function addressed(number) {
    if (linked() === number) return;
    const instead = drawer.open || history.state === SPARE;
    history[instead ? "replaceState" : "pushState"](null, "", here(`#item-${number}`));
  }
  function follow() {
    const number = linked();
    if (number < 0) drawer.close();
    else if (!drawer.open || showing !== number) choose(number);
  }
  window.addEventListener("hashchange", follow);
  drawer.addEventListener("close", () => {
    showing = -1;
    if (linked() >= 0) history.replaceState(SPARE, "", here("#items"));
    draw(true);
    buttonAt(active)?.focus({ preventScroll: true });
  });
  drawer.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft" && !before.disabled) open(active - 1);
    if (event.key === "ArrowRight" && !after.disabled) open(active + 1);
  });

  function open(at) {
    if (at < 0 || at >= order.length) return undefined;
    moveTo(at);
    return show(order[at]);
  }

  /* Show an answer that was next to another; the filters may have left it out of the list. */
  async function choose(number) {
    const at = order.indexOf(number);
    await (at < 0 ? show(number) : open(at));
    full.querySelector("#sample-id").focus({ preventScroll: true });
  }

  const COLUMNS = 12;
  let showing = -1;
  async function show(number) {
    showing = number;
    const chosen = others(number);
    const together = [number, ...(chosen.length ? chosen : sides(number).filter((other) => other !== number))];
    const numbers = together.slice(0, COLUMNS);
    let samples;
    try {
      samples = await Promise.all(numbers.map(sampleAt));
    } catch {
      return remark(words.broken);
    }
    if (showing !== number) return;
    place.textContent = order[active] === number ? named(words.place, { at: active + 1, of: order.length }) : "";
    before.disabled = active === 0;
    after.disabled = active >= order.length - 1;
    drawer.classList.toggle("wide", numbers.length > 1);
    full.replaceChildren(...(numbers.length > 1 ? sideBySide(numbers, samples, together.length - numbers.length) : inFull(number, samples[0])));
    addressed(number);
    if (!drawer.open) drawer.showModal();
    drawer.scrollTop = 0;
  }

  function titleOf(number) {
    const heading = make("h2", "", index.id[number] || "–");
    heading.id = "sample-id";
    heading.tabIndex = -1;
    const where = [index.runs.length > 1 && index.runs[index.run[number]], name("system", number), name("group", number)].filter(Boolean);
    return [heading, make("p", "where", where.join(" · "))];
  }

  /* A column per answer, the chosen one first, below the question and the reference. Answers, and then the scores of each
     metric, are aligned across the columns. */
  function sideBySide(numbers, samples, more) {
    const [number] = numbers;
    const [sample] = samples;
    const lang = langOf(number);
    const parts = [...titleOf(number), ...questionOf(sample, lang), ...referencesOf(sample, lang)];
    const scores = samples.map((one) => new Map(one.scores ?? []));
    const metrics = index.metrics.map((_, at) => at).filter((at) => scores.some((one) => one.has(at)));
    const columns = numbers.map((each, at) => {
      const own = samples[at];
      const language = langOf(each);
      const answer = make("div", "", ...answerOf(own, language));
      if (at && !equal(own, sample, "references")) answer.append(...referencesOf(own, language));
      const further = make("div", "", ...passagesOf(own, language, at ? sample : null));
      const column = make("article", "column", headOf(each, numbers), answer, ...metrics.map((metric) => {
        const one = scores[at].get(metric);
        return one ? score(index.metrics[metric], one, language, at ? scores[0].get(metric) : undefined) : make("p", "nothing", `${index.metrics[metric].name}: –`);
      }), further);
      column.setAttribute("aria-labelledby", `column-${each}`);
      return column;
    });
    const grid = make("div", "side-by-side", ...columns);
    grid.style.setProperty("--rows", metrics.length + 3);
    parts.push(make("h3", "", words.beside), grid);
    if (more) parts.push(make("p", "nothing", named(words.more_beside, { n: more })));
    return parts;
  }

  const equal = (one, other, kind) => JSON.stringify(one[kind] ?? null) === JSON.stringify(other[kind] ?? null);

  /* What distinguishes a column: run, system, and the id if it differs in more than its end, @SYSTEM. */
  const bare = (number) => {
    const end = `@${name("system", number)}`;
    return end.length > 1 && index.id[number].endsWith(end) ? index.id[number].slice(0, -end.length) : index.id[number];
  };
  function headOf(each, numbers) {
    const [number] = numbers;
    const runs = new Set(numbers.map((other) => index.run[other]));
    const named = [runs.size > 1 && index.runs[index.run[each]], name("system", each)].filter(Boolean);
    if (bare(each) !== bare(number) || !named.length) named.push(index.id[each] || "–");
    const title = make("h3", "", named.join(" · "));
    title.id = `column-${each}`;
    if (each === number) return make("header", "is-chosen", title, make("span", "", words.chosen));
    const button = make("button", "", words.choose);
    button.setAttribute("aria-describedby", title.id);
    button.addEventListener("click", () => choose(each));
    return make("header", "", title, button);
  }

  /* The question, after what was said before it. */
  function questionOf(sample, lang) {
    const said = (sample.history ?? []).flatMap(([asked, answered]) => [[words.user, asked], [words.assistant, answered]]);
    const before = said.filter(([, content]) => content).map(([who, content]) => `${who}: ${content}`);
    return [...(before.length ? [passages(words.history, before, lang)] : []), ...block(words.question, sample.question, lang, "question")];
  }

  function referencesOf(sample, lang) {
    const references = sample.references ?? [];
    return references.flatMap((text, at) => block(references.length > 1 ? named(words.references, { number: at + 1 }) : words.reference, text, lang));
  }

  /* The answer: as a dialogue, with its units, or as plain text. */
  function answerOf(sample, lang) {
    const gist = sample.gist ?? [];
    const plain = !sample.dialogue && !gist.some((view) => view.number !== null);
    return [
      ...(plain ? block(words.answer, sample.answer, lang) : []),
      ...gist.flatMap((view) => units(view, sample, lang)),
      ...(sample.dialogue ? talk(sample.dialogue, lang) : []),
    ];
  }

  function passagesOf(sample, lang, chosen = null) {
    return ["contexts", "evidence"].filter((kind) => sample[kind]).map((kind) =>
      chosen && equal(sample, chosen, kind)
        ? make("p", "nothing", named(words.equal_passages, { kind: words[kind], n: sample[kind].length }))
        : passages(words[kind], sample[kind], lang),
    );
  }

  function inFull(number, sample) {
    const lang = langOf(number);
    const gist = sample.gist ?? [];
    const drawnGist = gist.some((view) => view.number !== null);
    const parts = [...titleOf(number), ...questionOf(sample, lang)];
    if (!drawnGist) {
      const pair = make("div", "pair", make("div", "", ...block(words.answer, sample.answer, lang)));
      const references = referencesOf(sample, lang);
      if (references.length) pair.append(make("div", "", ...references));
      if (!sample.dialogue) parts.push(pair);
    }
    for (const view of gist) parts.push(...units(view, sample, lang));
    if (drawnGist) (sample.references ?? []).slice(1).forEach((text, at) => parts.push(...block(named(words.references, { number: at + 2 }), text, lang)));
    if (sample.dialogue) parts.push(...talk(sample.dialogue, lang));
    if (sample.scores?.length) parts.push(make("h3", "", words.scores), ...sample.scores.map(([metric, one]) => score(index.metrics[metric], one, lang)));
    return [...parts, ...passagesOf(sample, lang)];
  }

  function text(tag, kind, content, lang) {
    const made = make(tag, kind, content);
    made.lang = lang;
    return made;
  }

  function block(title, content, lang, kind = "") {
    const empty = content === undefined || content === null ? words.none : content === "" ? words.empty : null;
    return [make("h3", "", title), empty === null ? text("p", `said ${kind}`, content, lang) : make("p", "nothing", `(${empty})`)];
  }

  function passages(title, found, lang) {
    const list = make("ol", "passages", ...found.map((content) => make("li", "", text("p", "said", content, lang))));
    const made = make("details", "", make("summary", "", `${title} (${found.length})`), found.length ? list : make("p", "nothing", `(${words.empty})`));
    made.open = found.length > 0 && found.join("").length < 3000;
    return made;
  }

  const SIGNS = { yes: "✓", no: "✗", unclear: "?", item: "·" };
  /* `chosen`: the same metric's score of the answer that this one is compared with. */
  function score(metric, one, lang, chosen) {
    const measured = one.status === "ok";
    const title = make("h4", "", metric.name, make("span", measured ? "value" : "not-ok", measured ? shown(one.value) : words[one.status]));
    if (measured && chosen?.status === "ok") title.append(gapTo(metric, one.value, chosen.value));
    if (one.expected !== undefined) title.append(make("span", "votes", `${words.expected} ${shown(one.expected)}`));
    if (one.votes) title.append(make("span", "votes", `${words.votes} ${one.votes.map((vote) => (vote === null ? "–" : shown(vote))).join(", ")}`));
    const made = make("section", "score", title);
    if (one.reason) made.append(text("p", "", one.reason, lang));
    const lines = (one.lines ?? []).filter(([, kind]) => kind !== "rest");
    if (lines.length) {
      made.append(make("ul", "", ...lines.map(([depth, kind, content, reason]) => {
        const sign = make("span", "sign", SIGNS[kind] ?? "");
        if (words[kind] && SIGNS[kind] && kind !== "item") {
          sign.setAttribute("role", "img");
          sign.setAttribute("aria-label", words[kind]);
        }
        const item = make("li", `${kind} deeper-${Math.min(depth, 3)}`, sign, make("span", "", kind === "evidence" ? `${words.evidence}: ${content}` : content, reason && make("span", "why", reason)));
        item.lang = lang;
        return item;
      })));
    }
    for (const [, , content] of (one.lines ?? []).filter(([, kind]) => kind === "rest")) {
      made.append(make("details", "", make("summary", "", words.details), make("pre", "raw", content)));
    }
    if (one.raw) made.append(make("details", "", make("summary", "", words.raw), make("pre", "raw", one.raw)));
    if (one.usage) {
      const [calls, prompt, cached, completion, cost, unpriced, reused] = one.usage;
      made.append(make("p", "usage", named(cached ? words.usage_cached : words.usage, { calls, prompt, cached, completion, reused, cost: unpriced && !cost ? words.unknown : cost.toFixed(4) })));
    }
    return made;
  }

  function gapTo(metric, value, chosen) {
    const gap = Number(value.toPrecision(6)) - Number(chosen.toPrecision(6));
    const way = gap === 0 || metric.higher === null ? null : gap > 0 === metric.higher ? "better" : "worse";
    return make("span", `apart ${way ?? ""}`, signed(gap), way && ` ${words[way]}`);
  }

  /* Mark the units of gist at their places; where units cross, the inner one is closed and reopened. */
  function marked(pieces, of, whole) {
    const made = document.createDocumentFragment();
    let around = [];
    const between = whole && pieces.some(([, on]) => on.length);
    for (const [content, on, begin] of pieces) {
      const goingOn = on.length - begin;
      let same = 0;
      while (same < goingOn && same < around.length && around[same].unit === on[same]) same += 1;
      around = around.slice(0, same);
      for (let at = same; at < on.length; at += 1) {
        const [kind, why] = of[on[at]];
        const mark = make("mark", at < goingOn ? `${kind} on` : kind);
        if (why) mark.title = why;
        (around.at(-1)?.mark ?? made).append(mark);
        around.push({ unit: on[at], mark });
      }
      (around.at(-1)?.mark ?? made).append(between && !on.length && content.trim() ? make("span", "lo", content) : content);
    }
    return made;
  }

  function units(view, sample, lang) {
    const title = make("h3", "", `${words.gist}: ${view.profile}`);
    if (view.number === null) return [title, make("p", "nothing", view.reason)];
    const sides = make("div", "sides");
    for (const side of ["reference", "answer"]) {
      const source = side === "answer" ? sample.answer : sample.references?.[0];
      const content = source ? text("p", "side", marked(view[side], view.units, side === "reference"), lang) : make("p", "nothing", `(${source === "" ? words.empty : words.none})`);
      sides.append(make("div", "", make("h4", "", words[side]), content));
    }
    const legend = document.getElementById("gist-legend").cloneNode(true);
    legend.removeAttribute("id");
    legend.hidden = false;
    const article = make("article", "gist", sides, legend);
    if (view.unplaced.length) {
      const list = make("ul", "listed", ...view.unplaced.map(([kind, content, why]) => make("li", "", text("mark", kind, content, lang), why && ` ${why}`)));
      article.append(make("h4", "", words.unplaced), list);
    }
    if (view.faults.length) {
      article.append(make("details", "", make("summary", "", words.faults), make("ul", "listed", ...view.faults.map((fault) => make("li", "", fault)))));
    }
    return [title, article];
  }

  function talk(dialogue, lang) {
    const grid = make("div", "talk");
    for (const [turn, who, content, kind, grade, seconds] of dialogue.rows) {
      const opens = who === "asks" ? " opens" : "";
      const margin = opens ? named(words.turn, { turn }) : grade === null ? "" : String(Math.round(100 * grade) / 100);
      const said = text("span", `text ${kind}${opens}`, content, lang);
      if (seconds !== null) said.append(make("span", "who", `  (${named(words.seconds, { seconds: seconds.toFixed(1) })})`));
      grid.append(make("span", `margin${opens}`, margin), make("span", `who${opens}`, words[who] ?? who), said);
    }
    const grades = dialogue.grades.map((grade) => Math.round(100 * grade) / 100).join(", ");
    const ended = [named(words.ended, { ended: dialogue.ended }), dialogue.reason, grades && named(words.grades, { grades: `[${grades}]` })].filter(Boolean).join(" · ");
    return [make("h3", "", words.dialogue), make("p", "where", ended), grid];
  }

  if (difference) measure();
  filter();
  const measured = body.querySelector("tr[data-at]")?.getBoundingClientRect().height;
  if (measured && measured !== height) {
    height = measured;
    draw(true);
  }
  if (linked() >= 0) follow();
  root.dataset.ready = "yes";
})();
