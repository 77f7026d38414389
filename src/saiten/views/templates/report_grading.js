/* A person's verdict, grade and note on an answer. `index.digest` has the digest of each answer, "" for what is not one
   answer.

     controls(number)    the controls, below the opened answer
     mark(number)        a small element for the answer's cell, at most 1.25rem high, or null if there is no grade
     graded(number)      whether there is a grade, for the filter
     visible(sample)     the sample without what the judge said of it, if scores are hidden
     onChange(listener)  calls `listener(number)` after each change
     bar                 the count, the name, export and import, above the answers */
function answerGrading({ index, words, elements }) {
  const { make, named, tick } = elements;
  const GRADES = [0, 1, 2, 3, 4, 5];
  const [RIGHT, WRONG, NOTED] = ["✓", "✗", "✎"];
  const HIDDEN = "scores-hidden";
  const LARGEST = 64 * 2 ** 20; /* Maximum bytes of a file. */
  const root = document.documentElement;
  const store = gradeStore(index.digest);
  const labels = gradeLabels({ index, store });
  const listeners = [];
  const live = new Set(); /* the controls in the page: { digest, section, refresh, press } */

  const graded = (number) => store.graded(index.digest[number]);

  /* Whether the judge's scores may have been seen: they are in view now, or were while the answer was open. */
  const hides = () => root.classList.contains(HIDDEN);
  const seenBefore = (digest) => store.setting(`seen/${digest}`) !== "";
  const seen = (digest) => (!hides() || seenBefore(digest) ? "shown" : "hidden");
  function open(digest) {
    if (!hides() && !seenBefore(digest)) store.set(`seen/${digest}`, "yes");
  }

  function verdictOf({ correct }) {
    return correct === null ? null : correct === 1 ? RIGHT : WRONG;
  }

  function mark(number) {
    const grade = store.of(index.digest[number]);
    if (!grade) return null;
    const spoken = [grade.correct === 1 && words.right, grade.correct === 0 && words.wrong, grade.grade !== null && named(words.given, { grade: grade.grade }), grade.note && words.noted];
    const made = make("span", "own-grade", verdictOf(grade), grade.grade !== null && make("b", "", String(grade.grade)), grade.note && NOTED);
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", `${words.own}: ${spoken.filter(Boolean).join(", ")}`);
    made.title = [...spoken.slice(0, 3).filter(Boolean), grade.note].filter(Boolean).join("\n");
    return made;
  }

  function group(title, ...content) {
    const made = make("div", "choices", make("span", "", title), ...content);
    made.setAttribute("role", "group");
    made.setAttribute("aria-label", title);
    return made;
  }

  function labeled(title, control) {
    return make("label", "of-grading", make("span", "", title), control);
  }

  /* A button that stays pressed; pressing it again takes the value back. */
  function choice(digest, name, value, text, title, key) {
    const button = make("button", "", text);
    button.title = title;
    button.setAttribute("aria-keyshortcuts", key);
    const press = () => {
      const before = store.of(digest)?.[name] ?? null;
      store.change(digest, { [name]: before === value ? null : value, scores: seen(digest) });
    };
    button.addEventListener("click", press);
    return { button, press, key, refresh: (grade) => button.setAttribute("aria-pressed", String((grade?.[name] ?? null) === value)) };
  }

  function nameField() {
    const input = make("input", "grader");
    input.autocomplete = "off";
    input.value = store.grader();
    const keep = () => {
      const name = store.nameOf(input.value);
      if (name !== store.grader()) store.rename(name);
      input.value = name;
    };
    input.addEventListener("change", keep);
    input.addEventListener("keydown", (event) => event.key === "Enter" && !composing(event) && keep());
    return input;
  }

  const composing = (event) => event.isComposing || event.keyCode === 229; /* keys that an input method handles */

  function controls(number) {
    const digest = index.digest[number];
    if (!digest) return make("p", "nothing", words.not_gradable);
    const verdicts = [choice(digest, "correct", 1, `${RIGHT} ${words.right}`, words.right, "y"), choice(digest, "correct", 0, `${WRONG} ${words.wrong}`, words.wrong, "n")];
    const grades = GRADES.map((value) => choice(digest, "grade", value, String(value), words.meanings[value], String(value)));
    const choices = [...verdicts, ...grades];
    const meaning = make("p", "meaning");
    const note = make("textarea");
    note.rows = 1;
    note.addEventListener("input", () => store.change(digest, { note: note.value, scores: seen(digest) }));
    const clear = make("button", "", words.clear);
    clear.addEventListener("click", () => {
      store.put(digest, store.grader(), null);
      choices[0].button.focus();
    });
    const state = make("p", "state");
    state.setAttribute("role", "status");
    const name = nameField();
    const who = labeled(words.name, name); /* It stays until the answer is opened again: a click must not miss its button. */
    who.hidden = store.grader() !== "";
    const others = make("details", "others");
    const section = make(
      "section", "grade", make("div", "line", make("h3", "", words.own), state), who,
      make("div", "line", group(words.verdict, ...verdicts.map(({ button }) => button)), group(words.scale, ...grades.map(({ button }) => button))), meaning,
      labeled(words.note, note), make("div", "line", clear, make("p", "hint", words.keys)), others,
    );
    section.setAttribute("aria-label", words.own);
    /* Arrows move in the text, not to the next answer. */
    section.addEventListener("keydown", (event) => event.target.matches("textarea, input") && event.key !== "Escape" && event.stopPropagation());

    function refresh() {
      const grade = store.of(digest);
      for (const each of choices) each.refresh(grade);
      meaning.textContent = grade === null || grade.grade === null ? "" : `${grade.grade}: ${words.meanings[grade.grade]}`;
      if (document.activeElement !== note) note.value = grade?.note ?? "";
      if (document.activeElement !== name) name.value = store.grader();
      clear.hidden = grade === null;
      const trouble = store.trouble();
      const saved = grade === null ? "" : named(store.grader() ? words.saved_by : words.saved, { name: store.grader() });
      state.textContent = trouble && grade ? words[trouble] : saved;
      state.classList.toggle("trouble", Boolean(trouble && grade));
      showOthers(others, digest);
    }

    const key = (event) => choices.find((each) => each.key === event.key.normalize("NFKC").toLowerCase());
    live.add({ digest, section, refresh, press: (event) => key(event)?.press() });
    open(digest);
    refresh();
    return section;
  }

  /* What other people said, folded, so that nobody is led by it. */
  function showOthers(details, digest) {
    const found = [...store.everybody(digest)].filter(([person]) => person !== store.grader());
    details.hidden = !found.length;
    const list = found.map(([person, grade]) => {
      const said = [verdictOf(grade), grade.grade].filter((each) => each !== null).join(" ");
      return make("li", "", make("b", "", person || words.nameless), ` ${said}`, grade.note && make("span", "said-note", grade.note));
    });
    details.replaceChildren(make("summary", "", named(words.others, { n: found.length })), make("ul", "", ...list));
  }

  function present() {
    for (const each of live) if (!each.section.isConnected) live.delete(each);
    return [...live];
  }

  store.onChange((digest) => {
    for (const each of present()) if (digest === null || each.digest === digest) each.refresh();
    const changed = digest === null ? store.digests() : [digest];
    for (const number of changed.flatMap(labels.numbersOf)) for (const listener of listeners) listener(number);
    bar.refresh();
  });

  /* Keys grade the answer that has the focus, or the first open one; not while a text is written. */
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.repeat || composing(event)) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    const shown = present().filter(({ section }) => section.checkVisibility());
    (shown.find(({ section }) => section.contains(event.target)) ?? shown[0])?.press(event);
  });

  /* The bar above the answers. */
  function makeBar() {
    const count = make("span", "count");
    const name = nameField();
    const people = make("datalist", "");
    people.id = "graders";
    name.setAttribute("list", people.id);
    const save = make("button", "", words.export);
    const file = make("input", "unseen");
    const load = make("label", "load", file, make("span", "", words.import));
    const [hiding, blind] = tick(words.hide, store.setting(HIDDEN) === "yes");
    const message = make("p", "message");
    const shown = make("textarea", "exported");
    file.type = "file";
    file.multiple = true;
    file.accept = ".jsonl,.ndjson,.json,.txt";
    message.setAttribute("role", "status");
    shown.readOnly = true;
    shown.rows = 4;
    shown.setAttribute("aria-label", words.as_text);
    shown.hidden = true;
    const warning = make("p", "message trouble");
    warning.setAttribute("role", "status");

    /* A frame that refuses storage refuses downloads, too, and does not say so. */
    save.addEventListener("click", () => {
      const framed = window.parent !== window && store.trouble() === "refused";
      const [n, title] = [labels.lines().length, fileName()];
      download(labels.text(), title);
      store.exported();
      const text = make("button", "", words.as_text);
      text.addEventListener("click", showText);
      message.replaceChildren(...(framed ? [named(words.framed, { n })] : [named(words.exported, { n, file: title }), " ", text]));
      if (framed) showText();
      refresh();
    });
    function showText() {
      shown.value = labels.text();
      shown.hidden = false;
      shown.focus();
      shown.select();
    }
    file.addEventListener("change", async () => {
      message.textContent = (await Promise.all([...file.files].map(loaded))).join(" ");
      file.value = "";
    });
    blind.addEventListener("change", () => hide(blind.checked));
    root.classList.toggle(HIDDEN, blind.checked);

    let had = store.any(); /* The bar opens with the first grade, and stays as it is put. */
    function refresh() {
      count.textContent = named(words.count, { done: store.done(), of: labels.count });
      save.disabled = !store.any();
      if (document.activeElement !== name) name.value = store.grader();
      people.replaceChildren(...store.people().map((person) => new Option(person, person)));
      const trouble = store.trouble();
      warning.textContent = trouble ? words[trouble] : "";
      element.open ||= store.any() && (trouble !== "" || !had);
      had = store.any();
    }

    const line = make("div", "filters", labeled(words.name, name), people, save, load, hiding);
    const element = make("details", "grading-bar", make("summary", "", words.bar, " ", count), line, warning, message, shown);
    element.open = had || blind.checked;
    return { element, refresh };
  }

  /* The sample without scores and marks, if these are hidden. */
  function visible(sample) {
    if (!hides()) return sample;
    const { scores, gist, ...rest } = sample;
    return rest;
  }

  function hide(hidden) {
    root.classList.toggle(HIDDEN, hidden);
    store.set(HIDDEN, hidden ? "yes" : "");
    for (const { digest } of present()) open(digest);
  }

  async function loaded(file) {
    if (file.size > LARGEST) return named(words.too_large, { file: file.name });
    const found = labels.load(await file.text());
    const also = { same: words.load_same, older: words.load_older, elsewhere: words.load_elsewhere, unusable: words.load_unusable };
    const more = Object.keys(also).filter((kind) => found[kind]).map((kind) => named(also[kind], { n: found[kind] }));
    return [named(words.loaded, { file: file.name, n: found.taken }), ...more].join(" ");
  }

  function fileName() {
    let name = "";
    try {
      name = decodeURIComponent(location.pathname.split("/").at(-1));
    } catch {
      /* It then has the default name. */
    }
    return `${/^srcdoc$|^blank$/.test(name) ? "report" : name.replace(/\.html?$/i, "") || "report"}.labels.jsonl`;
  }

  function download(content, name) {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([content], { type: "application/jsonl" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  const bar = makeBar();
  bar.refresh();
  return { controls, mark, graded, visible, onChange: (listener) => listeners.push(listener), bar: bar.element };
}
