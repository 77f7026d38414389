/* The answers of a report: unpacks the data in the page and puts its parts together. Each part is a factory function in a
   file of its own, report_*.js, and gets its collaborators as arguments.

   An answer is known by its number, its place in the index, which is also that in its address, #item-NUMBER. */
async function reportAnswers(root) {
  const elements = reportElements();
  const parsed = (id) => JSON.parse(document.getElementById(id).textContent);
  const [words, statuses] = [parsed("report-words"), parsed("report-statuses")];
  const remark = (text) => root.replaceChildren(elements.make("p", "nobody", text));
  if (typeof DecompressionStream === "undefined") return remark(words.too_old);
  remark(words.loading);
  const data = reportData();
  let index;
  try {
    index = await data.index();
  } catch {
    return remark(words.broken);
  }

  const grading = answerGrading({ index, words: words.grading, elements });
  const table = answerTable(index, words);
  const figures = reportFigures(index);
  const views = answerView({ index, table, words });
  const search = answerSearch({ index, data, table, elements, words });
  const beginnings = data.beginnings(index, () => matrix.fillIn());
  const cells = answerCells({ index, table, figures, beginnings, search, elements, words, statuses, grading });
  const matrix = answerMatrix({ index, table, figures, views, cells, search, elements, words, statuses, grading }, { onOpen: open, onChange: (view, field) => address.change(view, field) });
  const passages = answerPassages({ support: contextSupport({ index }), search, elements, words });
  const texts = answerTexts({ passages, search, elements, words });
  const scores = answerScores({ figures, search, elements, words });
  const drawer = openedAnswer({ index, table, data, texts, scores, passages, elements, words, grading }, { place: matrix.place, step, choose: open, onClose: closed });
  const address = reportAddress(index.count, follow);

  async function open(number) {
    const instead = drawer.element.open;
    try {
      await drawer.show(number, matrix.besides(number), matrix.answersTo(number));
    } catch {
      return remark(words.broken);
    }
    if (drawer.showing() !== number) return undefined;
    address.open(matrix.address(), number, instead);
    matrix.goTo(number);
    return drawer.toHeading();
  }

  function step(questions, systems) {
    const number = matrix.further(drawer.showing(), questions, systems);
    if (number !== undefined) open(number);
  }

  function closed(number) {
    address.close(matrix.address());
    matrix.goTo(number, true);
  }

  async function follow({ view, item }) {
    if (view !== null && matrix.address() !== view) await matrix.show(view);
    if (item < 0) drawer.close();
    else if (drawer.showing() !== item) await open(item);
  }

  root.replaceChildren(grading.bar, ...matrix.elements);
  document.body.append(drawer.element, matrix.keys);
  const first = address.read();
  await matrix.show(first.view ?? "");
  if (location.hash.startsWith("#answers")) root.closest("section").scrollIntoView();
  await follow(first);
  beginnings.openAll();
  root.dataset.ready = "yes";
}

if (document.getElementById("browser")) reportAnswers(document.getElementById("browser"));
