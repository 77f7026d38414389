/* The view and the opened answer in the page's address: #answers?…, and #item-NUMBER or #item-NUMBER?…

   Back undoes a change of the view and closes an opened answer. The entry of a closed answer is used again. */
function reportAddress(count, follow) {
  const SPARE = "spare";
  let typed = null; /* The field whose typing made the newest entry. */

  /* The view as a text, null if the address leads elsewhere in the page; and the number of the opened answer or -1. */
  function read() {
    if (location.hash === "") return { view: "", item: -1 };
    const found = /^#(?:answers|item-(\d+))(?:\?(.*))?$/s.exec(location.hash);
    if (!found) return { view: null, item: -1 };
    const item = found[1] !== undefined && Number(found[1]) < count ? Number(found[1]) : -1;
    return { view: found[2] ?? "", item };
  }

  const here = (hash) => location.href.split("#", 1)[0] + hash; /* in a frame, "#…" alone would be the notebook's */
  const hashOf = (view, item) => (item < 0 ? "#answers" : `#item-${item}`) + (view ? `?${view}` : "");

  /* `field`: the name of a field that is being typed in, whose letters share an entry. */
  function change(view, field = null) {
    const old = read();
    const hash = hashOf(view, old.item);
    if (old.view === view || hash === location.hash) return;
    const instead = history.state === SPARE || (field !== null && field === typed);
    history[instead ? "replaceState" : "pushState"](null, "", here(hash));
    typed = field;
  }

  function open(view, item, instead) {
    if (read().item === item) return;
    history[instead || history.state === SPARE ? "replaceState" : "pushState"](null, "", here(hashOf(view, item)));
    typed = null;
  }

  function close(view) {
    if (read().item >= 0) history.replaceState(SPARE, "", here(hashOf(view, -1)));
  }

  window.addEventListener("hashchange", () => {
    typed = null;
    follow(read());
  });

  return { read, change, open, close };
}
