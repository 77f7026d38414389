/* The shape of the matrix: order of the rows, their height, the columns and the metrics shown; after other controls. */
function answerShaping({ index, views, elements, words }, change, showKeys, ...before) {
  const { make, named, field, fill, tick } = elements;

  /* An order as the text of an option: how, and for a metric of a column also which. */
  const ORDER = ["sort", "way", "by", "in"];
  const orderOf = (view) => JSON.stringify(ORDER.map((name) => view[name]));
  const order = make("select");
  order.addEventListener("input", () => {
    const chosen = JSON.parse(order.value);
    change(Object.fromEntries(ORDER.map((name, at) => [name, chosen[at]])));
  });
  function orders(view) {
    const columns = views.columns(view);
    const option = (parts, text) => [JSON.stringify(["sort", "way", "by", "in"].map((name) => parts[name] ?? "")), text];
    const directed = view.of || view.against;
    const scores = columns.map((column) => [
      column.name,
      views.scores(view).flatMap((at) => ["highest", "lowest"].map((way) => {
        const { name } = index.metrics[at];
        return option({ sort: "score", way, by: name, in: column.name }, named(words[way], { metric: name, column: column.name }));
      })),
    ]);
    return [
      option({}, words.as_they_came),
      option({ sort: "id" }, words.id),
      index.group.names.length > 0 && option({ sort: "group" }, words.group),
      columns.length > 1 && option({ sort: "gap" }, words.largest),
      directed && option({ sort: "gap", way: "highest" }, words.gap_highest),
      directed && option({ sort: "gap", way: "lowest" }, words.gap_lowest),
      ...scores,
    ].filter(Boolean);
  }

  const heights = fill(make("select"), ["compact", "normal", "tall"].map((height) => [height, words[height]]));
  heights.addEventListener("input", () => change({ height: heights.value }));

  const [referenceLabel, reference] = tick(words.reference_column);
  reference.addEventListener("input", () => change({ reference: reference.checked ? "yes" : "" }));

  /* A panel with a box per name to tick, and with buttons to move it. */
  function chooser(items) {
    const list = make("ul");
    const panel = popover(elements, list);
    function show(title, all, shown, movable) {
      panel.name(`${title} (${shown.length}/${all.length})`);
      const focused = list.contains(document.activeElement) ? document.activeElement.dataset.of : null;
      list.replaceChildren(...all.map((name) => entry(name, shown, movable && all)));
      panel.element.hidden = all.length < 2;
      [...list.querySelectorAll("[data-of]")].find((each) => each.dataset.of === focused)?.focus();
    }
    function entry(name, shown, all) {
      const [label, input] = tick(name, shown.includes(name));
      input.dataset.of = `tick ${name}`;
      input.disabled = shown.length === 1 && shown[0] === name;
      input.addEventListener("input", () => change({ [items]: input.checked ? [...shown, name] : shown.filter((each) => each !== name) }));
      return make("li", "", label, ...(all ? [-1, 1].map((by) => mover(name, by, shown)) : []));
    }
    function mover(name, by, shown) {
      const button = make("button", "plain", by < 0 ? "↑" : "↓");
      const at = shown.indexOf(name);
      button.dataset.of = `${by} ${name}`;
      button.setAttribute("aria-label", named(by < 0 ? words.earlier : words.later, { column: name }));
      button.disabled = at < 0 || at + by < 0 || at + by >= shown.length;
      button.addEventListener("click", () => {
        const moved = shown.filter((each) => each !== name);
        moved.splice(at + by, 0, name);
        change({ [items]: moved });
      });
      return button;
    }
    return { element: panel.element, show };
  }
  const columns = chooser("columns");
  const scores = chooser("scores");

  const keys = make("button", "plain", words.keys_button);
  keys.addEventListener("click", showKeys);
  const line = make("div", "filters", ...before, field(words.order, order), field(words.height, heights), columns.element, scores.element, referenceLabel, keys);
  line.setAttribute("role", "group");
  line.setAttribute("aria-label", words.shape);
  const element = make("details", "shaping", make("summary", "", words.shape), line);
  const narrow = matchMedia("(max-width: 40rem)"); /* where it is folded */
  const unfold = () => (element.open = !narrow.matches);
  narrow.addEventListener("change", unfold);
  unfold();

  function show(view) {
    fill(order, orders(view));
    order.value = orderOf(view);
    if (order.selectedIndex < 0) order.selectedIndex = 0;
    heights.value = view.height;
    if (heights.selectedIndex < 0) heights.value = "normal";
    reference.checked = view.reference !== "";
    const nameOf = (at) => index.metrics[at].name;
    columns.show(words.columns, views.eligible(view).map(({ name }) => name), views.columns(view).map(({ name }) => name), true);
    scores.show(words.scores, views.measured(view).map(nameOf), views.scores(view).map(nameOf), false);
  }

  return { element, show };
}
