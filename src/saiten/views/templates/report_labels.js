/* Grades as labels, one JSON object per line, as `saiten meta-evaluate`, `agreement` and `report --labels` read them; and
   back. A label has the digest of its answer, so that it is never taken for one of another answer with the same id. */
function gradeLabels({ index, store }) {
  const REMARK = "note"; /* The aspect of a note without a verdict or a grade, which is no label. */
  const numbersOf = new Map(); /* digest → the numbers of the answers that have it, in several runs */
  const digestsOf = new Map(); /* id → digests */
  index.digest.forEach((digest, number) => {
    if (!digest) return;
    numbersOf.set(digest, [...(numbersOf.get(digest) ?? []), number]);
    const id = index.id[number];
    digestsOf.set(id, (digestsOf.get(id) ?? new Set()).add(digest));
  });

  function lines() {
    const found = [];
    for (const [digest, numbers] of numbersOf) {
      const [number] = numbers;
      const system = index.system.names[index.system.rows[number]];
      const run = [...new Set(numbers.map((each) => index.runs[index.run[each]]))].join(", ");
      for (const [annotator, grade] of store.everybody(digest)) {
        const rows = [["correct", grade.correct], ["grade", grade.grade]].filter(([, value]) => value !== null);
        for (const [aspect, value] of rows.length ? rows : [[REMARK, null]]) {
          found.push({ item: index.id[number], aspect, value, annotator, reason: grade.note, system, run, answer_digest: digest, scores: grade.scores, saved_at: grade.at });
        }
      }
    }
    return found;
  }

  const text = () => lines().map((line) => `${JSON.stringify(line)}\n`).join("");

  /* The digest of a label's answer; labels from elsewhere have none, and then their id must be of one answer only. */
  function digestOf({ item, answer_digest: digest }) {
    if (typeof digest === "string" && digest) return numbersOf.has(digest) ? digest : null;
    const found = digestsOf.get(String(item)) ?? new Set();
    return found.size === 1 ? [...found][0] : null;
  }

  function part({ aspect, value }) {
    const number = typeof value === "boolean" ? Number(value) : value;
    if (aspect === "correct" && (number === 0 || number === 1)) return { correct: number };
    if (aspect === "grade" && Number.isInteger(number) && number >= 0 && number <= 5) return { grade: number };
    return aspect === REMARK && (value === null || value === undefined) ? {} : null;
  }

  /* Merge the labels of a file: each person's own are kept apart, and of two by one person the later one counts. */
  function load(content) {
    const counts = { taken: 0, same: 0, older: 0, elsewhere: 0, unusable: 0 };
    const found = new Map();
    for (const line of content.split("\n").filter((each) => each.trim())) {
      const label = object(line);
      const own = label && part(label);
      const digest = own && digestOf(label);
      if (!own) counts.unusable += 1;
      else if (!digest) counts.elsewhere += 1;
      else gather(found, digest, label, own);
    }
    for (const { digest, person, grade } of found.values()) merge(digest, person, grade, counts);
    return counts;
  }

  function object(line) {
    try {
      const value = JSON.parse(line);
      return value !== null && typeof value === "object" && !Array.isArray(value) ? value : null;
    } catch {
      return null;
    }
  }

  function gather(found, digest, label, own) {
    const texts = (name) => (typeof label[name] === "string" ? label[name] : "");
    const person = store.nameOf(texts("annotator"));
    const key = `${digest}/${person}`;
    const before = found.get(key)?.grade ?? { correct: null, grade: null, note: "", scores: "hidden", at: "" };
    const at = [before.at, texts("saved_at")].sort()[1];
    const scores = label.scores === "hidden" && before.scores === "hidden" ? "hidden" : "shown";
    found.set(key, { digest, person, grade: { ...before, ...own, note: texts("reason") || before.note, scores, at } });
  }

  function merge(digest, person, grade, counts) {
    const own = store.of(digest, person);
    const equal = own && ["correct", "grade", "note"].every((name) => own[name] === grade[name]);
    if (equal) counts.same += 1;
    else if (own && own.at >= grade.at) counts.older += 1;
    else {
      store.put(digest, person, grade);
      counts.taken += 1;
    }
  }

  return { text, lines, load, numbersOf: (digest) => numbersOf.get(digest) ?? [], count: numbersOf.size };
}
