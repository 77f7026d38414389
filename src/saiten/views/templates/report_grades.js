/* People's grades of answers, kept by the browser.

   An answer is known by its digest, so a report that is made again keeps the grades of unchanged answers, and an answer
   with the same id but another text does not get them. Each answer and person has an entry of its own in the storage,
   which all files on a disk may share: two tabs never overwrite each other's answers, and reports do not meet. A change
   starts from what the storage has. What it does not take stays in memory.

   A grade is { correct: 0, 1 or null, grade: 0 to 5 or null, note: text, scores: "shown" or "hidden", at: time }. */
function gradeStore(digests) {
  const LONGEST = 80; /* Maximum characters of a name. */
  const ENTRY = "saiten/grade/1/";
  const NAME = "saiten/grader";
  const known = new Set(digests.filter(Boolean));
  const grades = new Map(); /* digest → Map of person → grade */
  const unsaved = new Set(); /* keys of entries that the storage did not take, until they are exported */
  const listeners = [];
  const storage = opened("localStorage");
  const session = opened("sessionStorage");
  let grader = read(NAME) ?? "";
  let trouble = storage ? "" : "refused";

  /* Access alone may throw, as in a notebook's frame. */
  function opened(which) {
    try {
      window[which].getItem(ENTRY);
      return window[which];
    } catch {
      return null;
    }
  }

  function read(key) {
    return storage ? storage.getItem(key) : null;
  }

  function parsed(text) {
    try {
      return checked(JSON.parse(text));
    } catch {
      return null;
    }
  }

  /* A grade whose parts are what they should be; null if nothing is left. */
  function checked(value) {
    if (value === null || typeof value !== "object") return null;
    const found = {
      correct: [0, 1].includes(value.correct) ? value.correct : null,
      grade: Number.isInteger(value.grade) && value.grade >= 0 && value.grade <= 5 ? value.grade : null,
      note: typeof value.note === "string" ? value.note.replace(/\p{Cs}/gu, "\ufffd") : "", /* no file holds half a character */
      scores: value.scores === "hidden" ? "hidden" : "shown",
      at: typeof value.at === "string" ? value.at : "",
    };
    return found.correct === null && found.grade === null && found.note === "" ? null : found;
  }

  /* A name as a person would type it, on one line. */
  const nameOf = (text) => [...text.normalize("NFC").replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, " ").trim()].slice(0, LONGEST).join("");
  const keyOf = (digest, person) => `${ENTRY}${digest}/${person}`;

  function placeOf(key) {
    const at = key.indexOf("/", ENTRY.length);
    const digest = key.slice(ENTRY.length, at);
    return key.startsWith(ENTRY) && known.has(digest) ? [digest, key.slice(at + 1)] : null;
  }

  function remember(digest, person, grade) {
    const own = grades.get(digest) ?? new Map();
    if (grade) own.set(person, grade);
    else own.delete(person);
    if (own.size) grades.set(digest, own);
    else grades.delete(digest);
  }

  function write(key, text) {
    if (!storage) return false;
    try {
      if (text === null) storage.removeItem(key);
      else storage.setItem(key, text);
      return true;
    } catch {
      trouble = "full";
      return false;
    }
  }

  function save(digest, person) {
    const grade = of(digest, person);
    const key = keyOf(digest, person);
    if (write(key, grade && JSON.stringify(grade))) unsaved.delete(key);
    else unsaved.add(key);
  }

  function tell(digest) {
    for (const listener of listeners) listener(digest);
  }

  const of = (digest, person = grader) => grades.get(digest)?.get(person) ?? null;
  const everybody = (digest) => grades.get(digest) ?? new Map();

  /* Whether the person who grades gave a verdict or a grade; a note alone is none. */
  function graded(digest) {
    const own = of(digest);
    return own !== null && (own.correct !== null || own.grade !== null);
  }

  /* Keep a grade, or remove it; those that were not saved get another try. */
  function put(digest, person, grade) {
    remember(digest, person, checked(grade));
    save(digest, person);
    retry();
    if (storage && !unsaved.size) trouble = "";
    tell(digest);
  }

  function retry() {
    for (const key of storage ? unsaved : []) {
      save(...placeOf(key));
      if (unsaved.has(key)) return;
    }
  }

  function change(digest, parts) {
    const text = unsaved.has(keyOf(digest, grader)) ? null : read(keyOf(digest, grader));
    const before = text === null ? of(digest) : parsed(text);
    const seen = before?.scores === "shown" || parts.scores === "shown";
    put(digest, grader, { correct: null, grade: null, note: "", ...before, ...parts, scores: seen || !parts.scores ? "shown" : "hidden", at: new Date().toISOString() });
  }

  /* Name the person who grades. Grades from before they had a name are theirs. */
  function rename(name) {
    const [before, digestsOf] = [grader, [...grades.keys()]];
    grader = name;
    write(NAME, name);
    for (const digest of before === "" && name !== "" ? digestsOf : []) {
      const nameless = of(digest, "");
      if (!nameless) continue;
      if (!of(digest) || of(digest).at < nameless.at) put(digest, name, nameless);
      put(digest, "", null);
    }
    tell(null);
  }

  function people() {
    return [...new Set([...grades.values()].flatMap((own) => [...own.keys()]))].filter(Boolean).sort();
  }

  for (let at = 0; storage && at < storage.length; at += 1) {
    const key = storage.key(at);
    const place = placeOf(key);
    if (place) remember(...place, parsed(read(key)));
  }

  /* What another tab did. If the storage was emptied, the grades in this page are the last ones. */
  window.addEventListener("storage", (event) => {
    if (event.storageArea !== storage) return;
    if (event.key === null) {
      for (const [digest, own] of grades) for (const person of own.keys()) unsaved.add(keyOf(digest, person));
      tell(null);
      return;
    }
    if (event.key === NAME && grader === "") return rename(event.newValue ?? "");
    const place = placeOf(event.key);
    if (!place) return;
    remember(...place, event.newValue === null ? null : parsed(event.newValue));
    unsaved.delete(event.key);
    tell(place[0]);
  });
  window.addEventListener("beforeunload", (event) => unsaved.size && event.preventDefault());

  return {
    of, everybody, graded, put, change, rename, people, nameOf,
    done: () => [...grades.keys()].filter(graded).length,
    any: () => grades.size > 0,
    digests: () => [...grades.keys()],
    grader: () => grader,
    trouble: () => (unsaved.size || !storage ? trouble || "refused" : ""),
    exported: () => unsaved.clear(),
    onChange: (listener) => listeners.push(listener),
    /* Settings of this tab. */
    setting: (key) => session?.getItem(`saiten/${key}`) ?? "",
    set: (key, value) => {
      try {
        session?.setItem(`saiten/${key}`, value);
      } catch {
        /* It then lasts as long as the page. */
      }
    },
  };
}
