(() => {
  const bar = document.querySelector(".gist-bar");
  if (!bar) return;
  const blocks = [...document.querySelectorAll("article.gist")];
  const controls = bar.querySelector(".controls");
  const [select, input, count] = ["select", "input", "output"].map((name) => controls.querySelector(name));
  const nobody = document.querySelector(".nobody");
  const rows = [...document.querySelectorAll(".gist-profiles tr[data-p]")];

  /* Filter by profile and by text. */
  let texts = null;
  function filter() {
    const wanted = wantedWords(input.value);
    if (wanted.length) texts ??= new Map(blocks.map((block) => [block, folded(block.textContent)]));
    let shown = 0;
    for (const block of blocks) {
      const fits = (!select.value || block.dataset.p === select.value) && wanted.every((word) => texts.get(block).includes(word));
      if (block.hidden === fits) block.hidden = !fits;
      shown += fits;
    }
    for (const row of rows) row.classList.toggle("chosen", row.dataset.p === select.value);
    count.textContent = bar.dataset.counted.replace("{shown}", shown).replace("{all}", blocks.length);
    nobody.hidden = shown > 0;
  }
  onTyping(input, blocks.length, filter);
  select.addEventListener("change", filter);
  controls.hidden = false;
  filter();

  /* A click on a profile in the table shows its answers; another click shows all. */
  for (const row of rows) {
    if (![...select.options].some((option) => option.value === row.dataset.p)) continue;
    const name = row.cells[0];
    const button = document.createElement("button");
    button.type = "button";
    button.title = bar.dataset.one;
    button.append(...name.childNodes);
    name.append(button);
    button.addEventListener("click", () => {
      select.value = select.value === row.dataset.p ? "" : row.dataset.p;
      filter();
      if (select.value) bar.parentElement.scrollIntoView();
    });
  }

  /* A tooltip describes the unit under the pointer or focus, and every unit around it. */
  const KINDS = ["mg", "ms", "eg", "es", "bg", "bs"];
  const kindOf = (mark) => KINDS.find((kind) => mark.classList.contains(kind));
  const legend = new Map([...bar.querySelectorAll(".legend mark")].map((mark) => [kindOf(mark), mark]));
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);
  let described = null;

  function hide() {
    tip.hidden = true;
    described?.removeAttribute("aria-describedby");
    described = null;
  }

  function describe(mark) {
    if (mark === described) return;
    hide();
    tip.replaceChildren();
    for (let at = mark; at && at.matches("mark"); at = at.parentElement) {
      const entry = legend.get(kindOf(at));
      const name = document.createElement("b");
      name.textContent = entry.textContent;
      if (at.title) {
        at.dataset.why = at.title;
        at.removeAttribute("title");
      }
      tip.append(name, [entry.dataset.about, at.dataset.why].filter(Boolean).join("\n"));
    }
    described = mark;
    mark.setAttribute("aria-describedby", "tip");
    tip.hidden = false;
    place();
  }

  function place() {
    const around = [...described.getClientRects()];
    const own = tip.getBoundingClientRect();
    const [left, above, below] = [around[0].left, around[0].top - own.height - 6, around[around.length - 1].bottom + 6];
    const least = bar.getBoundingClientRect().bottom;
    if (around[around.length - 1].bottom < least || around[0].top > innerHeight) return hide();
    tip.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - own.width - 8))}px`;
    tip.style.top = `${above > least ? above : Math.min(below, innerHeight - own.height - 8)}px`;
  }

  const markAt = (event) => (event.target instanceof Element ? event.target.closest("mark") : null);
  for (const mark of document.querySelectorAll("article.gist mark:is(.mg, .ms, .eg, .es):not(.on)")) mark.tabIndex = 0;
  for (const kind of ["pointerover", "focusin"]) {
    document.addEventListener(kind, (event) => {
      const mark = markAt(event);
      if (mark) describe(mark);
      else if (kind === "pointerover") hide();
    });
  }
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("scroll", () => described && place(), { passive: true, capture: true });
})();
