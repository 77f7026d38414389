/* The keys of the matrix: `/` goes to the search, `?` shows a list of all keys. */
function answerKeys({ elements, words }, toSearch) {
  const { make } = elements;
  const KEYS = ["move", "pages", "ends", "open", "questions", "systems", "grade", "back", "find", "help"];

  const close = make("button", "close", words.close);
  const rows = KEYS.flatMap((name) => [make("dt", "", ...words[`key_${name}`].split(" ").map((key) => make("kbd", "", key))), make("dd", "", words[`about_key_${name}`])]);
  const heading = make("h2", "", words.keys);
  heading.id = "keys-heading";
  const element = make("dialog", "keys", make("div", "top", heading, close), make("dl", "body", ...rows));
  element.setAttribute("aria-labelledby", heading.id);
  close.addEventListener("click", () => element.close());
  element.addEventListener("click", (event) => event.target === element && element.close());

  const show = () => element.showModal();
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    if (event.target.closest?.("input, textarea, select, dialog, [contenteditable]") || document.querySelector("dialog[open]")) return;
    if (event.key === "/") toSearch();
    else if (event.key === "?") show();
    else return;
    event.preventDefault();
  });

  return { element, show };
}
