/* Makes elements. Strings in their content become text nodes, never markup. */
function reportElements() {
  const named = (text, parts) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in parts ? parts[name] : whole));

  function make(tag, name, ...content) {
    const made = document.createElement(tag);
    if (tag === "button") made.type = "button";
    if (name) made.className = name;
    made.append(...content.filter((each) => each !== null && each !== undefined && each !== false && each !== ""));
    return made;
  }

  function inLanguage(lang, made) {
    if (lang) made.lang = lang;
    return made;
  }

  /* A control with its label. */
  function field(text, control) {
    control.setAttribute("aria-label", text);
    return make("label", "", make("span", "", text), control);
  }

  /* `options`: pairs of value and text, or groups [title, pairs]. */
  function fill(select, options) {
    select.replaceChildren(...options.map(([value, content]) => {
      if (!Array.isArray(content)) return new Option(content, value);
      const group = make("optgroup", "", ...content.map(([own, text]) => new Option(text, own)));
      group.label = value;
      return group;
    }));
    return select;
  }

  function tick(text, checked = false) {
    const input = make("input");
    input.type = "checkbox";
    input.checked = checked;
    return [make("label", "tick", input, text), input];
  }

  return { make, named, inLanguage, field, fill, tick };
}
