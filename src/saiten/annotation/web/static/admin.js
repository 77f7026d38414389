// The admin's pages: everything that was typed goes by JSON, everything that is shown goes in as text.

const { csrf, noConnection } = document.body.dataset;
const $ = (selector, inside = document) => inside.querySelector(selector);
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

/** What the server answered; null where it refused or cannot be reached, which is then told. */
async function ask(method, path, body) {
  let reply;
  try {
    reply = await fetch(path, {
      method,
      headers: { "X-CSRF": csrf, "Content-Type": "application/json" },
      body: method === "GET" ? undefined : JSON.stringify(body ?? {}),
      cache: "no-store",
    });
  } catch {
    tell(noConnection);
    return null;
  }
  const text = await reply.text();
  let said = {};
  try { said = text ? JSON.parse(text) : {}; } catch { /* a proxy's page */ }
  if (!reply.ok) tell(said.message ?? `${reply.status}`);
  return reply.ok ? said : null;
}

function tell(text) {
  const notice = $("#notice");
  notice.textContent = text;
  notice.hidden = false;
}

function cell(text, { tag = "td", number = false, isolate = false } = {}) {
  const made = document.createElement(tag);
  if (tag === "th") made.scope = "row";
  if (number) made.className = "number";
  const inside = isolate ? made.appendChild(document.createElement("bdi")) : made;
  inside.textContent = text;
  return made;
}

function row(...cells) {
  const made = document.createElement("tr");
  made.append(...cells);
  return made;
}

const local = (moment) => new Date(moment).toLocaleString(document.documentElement.lang);
for (const time of all("time")) time.textContent = local(time.dateTime);

for (const button of all("[data-language]")) {
  button.addEventListener("click", async () => {
    if (await ask("POST", "/api/language", { language: button.dataset.language })) location.reload();
  });
}
$("[data-leave]")?.addEventListener("click", async () => {
  if (await ask("POST", "/api/leave")) location.assign("/");
});

// ---------------------------------------------------------------------------------------------- progress, agreement

const progress = $("#progress");
const EVERY = 10_000;

async function showProgress() {
  if (document.hidden) return;
  const said = await ask("GET", "/admin/progress.json");
  if (!said) return;
  $("#notice").hidden = true;
  for (const count of all("[data-count]")) count.textContent = said.items[count.dataset.count];
  if (!said.people.length) return;
  $("tbody", progress).replaceChildren(...said.people.map((each) => {
    const numbers = [each.done, each.given, each.skipped, each.unclear].map((n) => cell(n, { number: true }));
    const last = each.last_saved ? local(each.last_saved) : progress.dataset.never;
    const made = row(cell(each.name, { tag: "th", isolate: true }), ...numbers, cell(last));
    made.className = each.active ? "" : "out";
    return made;
  }));
}

async function showAgreement() {
  const table = $("#agreement");
  const body = $("tbody", table);
  const line = (text) => {
    const only = cell(text);
    only.colSpan = 6;
    body.replaceChildren(row(only));
  };
  line(table.dataset.wait);
  const figures = await ask("GET", "/admin/agreement.json");
  if (!figures?.length) return line(table.dataset.none);
  const shown = (value) => (value === null ? "–" : value.toFixed(3));
  body.replaceChildren(...figures.map((each) => row(
    cell(each.aspect, { tag: "th", isolate: true }),
    cell(each.figure),
    cell(shown(each.value), { number: true }),
    cell(each.low === null ? "" : `${shown(each.low)} – ${shown(each.high)}`, { number: true }),
    cell(each.n, { number: true }),
    cell(each.remark),
  )));
}

if (progress) {
  setInterval(showProgress, EVERY);
  showAgreement();
  $("#agreement-again").addEventListener("click", showAgreement);
}

// ----------------------------------------------------------------------------------------------------------- people

function showLink(said) {
  const card = $("#link");
  $("h2", card).textContent = card.dataset.title.replace("{name}", () => said.person.name);
  $("input", card).value = said.link;
  const copy = $("button", card);
  copy.onclick = async () => {
    $("input", card).select();
    try {
      await navigator.clipboard.writeText(said.link);
      copy.textContent = copy.dataset.copied;
    } catch { /* without HTTPS there may be no clipboard; the link is selected */ }
  };
  card.hidden = false;
  card.scrollIntoView({ block: "nearest" });
}

$("#new-person")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const said = await ask("POST", "/api/admin/people", { name: form.elements.name.value, role: form.elements.role.value });
  if (!said) return;
  showLink(said);
  form.reset();
  const made = row(
    cell(said.person.name, { tag: "th", isolate: true }),
    cell($(`option[value="${said.person.role}"]`, form).textContent),
    cell(""),
    cell(""),
  );
  $("tbody").append(made);
});

for (const line of all("[data-person]")) {
  const path = `/api/admin/people/${line.dataset.person}`;
  $("[data-link]", line)?.addEventListener("click", async () => {
    const said = await ask("POST", `${path}/link`);
    if (said) showLink(said);
  });
  $("[data-active]", line)?.addEventListener("click", async (event) => {
    if (await ask("PUT", path, { active: event.currentTarget.dataset.active === "true" })) location.reload();
  });
}

// --------------------------------------------------------------------------------------------------------- decision

const named = (form, prefix) => [...form.elements].filter((each) => each.name.startsWith(`${prefix}:`));
const after = (field) => field.name.slice(field.name.indexOf(":") + 1);

/** By form: its payload out of the fields, and the fields out of a payload. */
const FORMS = {
  grade: {
    read: (form) => ({ grade: Number(form.elements.grade.value) }),
    show: (form, said) => { form.elements.grade.value = said.grade; },
  },
  correct: {
    read: (form) => ({ correct: form.elements.correct.value === "true" }),
    show: (form, said) => { form.elements.correct.value = String(said.correct); },
  },
  aspects: {
    read: (form) => ({ grades: Object.fromEntries(named(form, "aspect").map((each) => [after(each), Number(each.value)])) }),
    show: (form, said) => { for (const each of named(form, "aspect")) each.value = said.grades[after(each)]; },
  },
  preference: {
    read: (form) => {
      const places = new Map();
      for (const each of named(form, "place")) {
        const place = Number(each.value);
        places.set(place, [...(places.get(place) ?? []), after(each)]);
      }
      const order = [...places].sort(([one], [other]) => one - other).map(([, keys]) => keys);
      return { order, none_good: form.elements.none_good.checked };
    },
    show: (form, said) => {
      said.order.forEach((keys, place) => { for (const key of keys) form.elements[`place:${key}`].value = place + 1; });
      form.elements.none_good.checked = said.none_good;
    },
  },
  gist: {
    read: (form) => ({
      spans: Object.fromEntries(named(form, "spans").map((each) => [
        after(each),
        each.value.split("\n").filter((line) => line.trim()).map((line) => line.split("-").map(Number)),
      ])),
    }),
    show: (form, said) => {
      for (const each of named(form, "spans")) {
        each.value = (said.spans[after(each)] ?? []).map(([start, end]) => `${start}-${end}`).join("\n");
      }
    },
  },
};

const decision = $("#decision");
if (decision) {
  const data = JSON.parse($("#page-data").textContent);
  const kind = FORMS[data.form];
  if (data.decision) kind.show(decision, data.decision);
  for (const button of all("[data-take]", decision)) {
    button.addEventListener("click", () => kind.show(decision, data.said[Number(button.dataset.take)].payload));
  }
  decision.addEventListener("submit", async (event) => {
    event.preventDefault();
    const note = decision.elements.note.value;
    const stored = await ask("PUT", `/api/admin/items/${data.item}/decision`, { payload: kind.read(decision), note });
    if (stored) location.reload();
  });
}
