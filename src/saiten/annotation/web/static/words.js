/* What the server put into the page: the page's own words, the form's texts, who is here. */
export const data = JSON.parse(document.getElementById("page-data").textContent);

/* A sentence of the page, with its gaps filled in one pass; a key without a sentence shows itself. */
export function word(key, values = {}) {
  const text = data.words[key] ?? key;
  return text.replace(/\{(\w+)\}/gu, (gap, name) => (Object.hasOwn(values, name) ? String(values[name]) : gap));
}

const figures = new Intl.NumberFormat(data.language);
export const figure = (number) => figures.format(number);
