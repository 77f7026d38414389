(() => {
  const bar = document.querySelector(".gist-bar");
  if (!bar) return;
  const folded = (text) => text.normalize("NFKC").toLowerCase();
  const blocks = [...document.querySelectorAll("article.gist")];
  const controls = bar.querySelector(".controls");
  const [select, input, count] = ["select", "input", "output"].map((name) => controls.querySelector(name));
  const nobody = document.querySelector(".nobody");
  const rows = [...document.querySelectorAll(".gist-profiles tr[data-p]")];

  /* Profile and text; all words must stand in the block, full or half width, upper or lower case. */
  let texts = null;
  function filter() {
    const wanted = folded(input.value).split(/\s+/u).filter(Boolean);
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
  let waiting = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, blocks.length > 1000 ? 150 : 0);
  });
  select.addEventListener("change", filter);
  controls.hidden = false;
  filter();

  /* The name of a profile in the table shows its answers; once more, all of them. */
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

  /* What a unit is, told where the pointer or the focus is; where units overlap, of each. */
  const KINDS = ["mg", "ms", "eg", "es", "bg", "bs"];
  const kindOf = (mark) => KINDS.find((kind) => mark.classList.contains(kind));
  const legend = new Map([...bar.querySelectorAll(".legend mark")].map((mark) => [kindOf(mark), mark]));
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);
  let told = null;

  function hide() {
    tip.hidden = true;
    told?.removeAttribute("aria-describedby");
    told = null;
  }

  function tell(mark) {
    if (mark === told) return;
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
    told = mark;
    mark.setAttribute("aria-describedby", "tip");
    tip.hidden = false;
    place();
  }

  function place() {
    const around = [...told.getClientRects()];
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
      if (mark) tell(mark);
      else if (kind === "pointerover") hide();
    });
  }
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("scroll", () => told && place(), { passive: true, capture: true });
})();
