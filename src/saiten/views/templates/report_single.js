/* On a narrow screen, one column at a time: a menu of the columns and a button to the next one. */
function singleSystem({ elements, words }, onChange) {
  const { make, field, fill } = elements;
  let chosen = "";
  const select = make("select");
  const next = make("button", "plain", words.next_system);
  const element = make("div", "filters single", field(words.shown_column, select), next);

  function choose(name) {
    chosen = name;
    onChange();
  }
  select.addEventListener("input", () => choose(select.value));
  next.addEventListener("click", () => choose(select.options[(select.selectedIndex + 1) % select.options.length].value));

  /* The chosen one of the columns. */
  const of = (columns) => columns.filter(({ name }) => name === chosen).concat(columns).slice(0, 1);

  function show(columns, narrow) {
    element.hidden = !narrow || columns.length < 2;
    fill(select, columns.map(({ name }) => [name, name]));
    select.value = of(columns)[0]?.name ?? "";
  }

  return { element, of, show };
}
