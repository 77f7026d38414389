// The admin's pages: everything that was typed goes by JSON, everything that is shown goes in as text.

const { csrf, noConnection } = document.body.dataset;
export const $ = (selector, inside = document) => inside.querySelector(selector);
export const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

/** What the server answered; null where it refused or cannot be reached, which is then told. */
export async function ask(method, path, body) {
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
  copy.textContent = copy.dataset.copy ??= copy.textContent;
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
  const made = $("#row").content.firstElementChild.cloneNode(true);
  made.dataset.person = said.person.id;
  $("bdi", made).textContent = said.person.name;
  $("td", made).textContent = $(`option[value="${said.person.role}"]`, form).textContent;
  $("tbody").append(made);
  equip(made);
});

/** The buttons of one person's row. */
function equip(line) {
  const path = `/api/admin/people/${line.dataset.person}`;
  $("[data-link]", line)?.addEventListener("click", async () => {
    const name = $("bdi", line).textContent;
    if (!window.confirm(`${name}: ${$("#link").dataset.sure}`)) return;
    const said = await ask("POST", `${path}/link`);
    if (said) showLink(said);
  });
  $("[data-active]", line)?.addEventListener("click", async (event) => {
    if (await ask("PUT", path, { active: event.currentTarget.dataset.active === "true" })) location.reload();
  });
}
for (const line of all("[data-person]")) equip(line);
