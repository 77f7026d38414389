/* The admin pages: the settings of htmx, and the form of a decision. */

const { csrf, noConnection } = document.body.dataset;
const $ = (selector, inside = document) => inside.querySelector(selector);
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

function notify(text) {
  const notice = $("#notice");
  notice.textContent = text;
  notice.hidden = !text;
}

/* The server's message; a proxy's page has none. */
function messageOf(status, text) {
  try {
    return JSON.parse(text).message ?? String(status);
  } catch {
    return String(status);
  }
}

/* ---- htmx: requests carry JSON and the session's token, and nothing polls in a hidden tab ---- */

htmx.defineExtension("json", {
  init(api) {
    this.api = api;
  },
  onEvent(name, event) {
    if (name !== "htmx:configRequest") return;
    event.detail.headers["X-CSRF"] = csrf;
    if (event.detail.verb !== "get") event.detail.headers["Content-Type"] = "application/json";
  },
  encodeParameters(request, parameters, element) {
    return JSON.stringify({ ...Object.fromEntries(parameters), ...this.api.getExpressionVars(element) });
  },
});
document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden && event.detail.requestConfig.verb === "get") event.preventDefault();
});
document.addEventListener("htmx:afterRequest", ({ detail: { successful } }) => { if (successful) notify(""); });
document.addEventListener("htmx:responseError", ({ detail: { xhr } }) => notify(messageOf(xhr.status, xhr.responseText)));
document.addEventListener("htmx:sendError", () => notify(noConnection));
htmx.onLoad((loaded) => {
  for (const time of all("time", loaded)) time.textContent = new Date(time.dateTime).toLocaleString(document.documentElement.lang);
});
document.addEventListener("click", async ({ target: { dataset, previousElementSibling: field }, target }) => {
  if (!dataset.copied) return;
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    target.textContent = dataset.copied;
  } catch { /* without HTTPS there may be no clipboard; the link is selected */ }
});

/* ---- a decision: the annotators' form, pre-filled with one of their annotations ---- */

async function equipDecision(decision) {
  const [{ data, isComposing, isField, keyOf }, { FORMS }, { drawTexts }] = await Promise.all(
    ["./dom.js", "./forms/all.js", "./item_texts.js"].map((module) => import(module)));
  const problem = $("#problem");
  const { heading, texts, named } = drawTexts(data.content);
  $("#texts").replaceChildren(heading, texts);
  const form = new FORMS[data.form]({
    item: { content: data.content }, texts: data.texts, views: named, changed: () => { problem.textContent = ""; },
  });
  $("#decided").replaceChildren(form.element);
  form.write(data.decision ?? {});
  for (const place of all("[data-marked]")) {
    const drawn = FORMS[data.form].marked?.(data.content, data.marked[place.dataset.marked]);
    if (drawn) place.replaceWith(drawn);
  }
  for (const button of all("[data-take]")) {
    button.addEventListener("click", () => {
      form.write(data.annotations[Number(button.dataset.take)].payload);
      problem.textContent = "";
      decision.scrollIntoView({ block: "nearest" });
    });
  }

  /* Returns whether the decision was stored. */
  async function decide() {
    const wrong = form.problem({ unclear: true });
    if (wrong) {
      problem.textContent = wrong.message;
      wrong.at.focus();
      return false;
    }
    let reply;
    try {
      reply = await fetch(`/api/admin/items/${data.item}/decision`, {
        method: "PUT",
        headers: { "X-CSRF": csrf, "Content-Type": "application/json" },
        body: JSON.stringify({ payload: form.read(), note: decision.elements.note.value }),
      });
    } catch {
      notify(noConnection);
      return false;
    }
    if (!reply.ok) notify(messageOf(reply.status, await reply.text()));
    return reply.ok;
  }

  decision.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await decide()) location.reload();
  });
  $("#decide-next").addEventListener("click", async () => {
    if (await decide()) location.assign(`/admin/differences/next?after=${data.item}`);
  });
  /* Enabled only now: an earlier click would have been lost. */
  for (const button of all("button:disabled")) button.disabled = false;
  document.addEventListener("keydown", (event) => {
    if (isComposing(event) || event.defaultPrevented || event.repeat) return;
    const commanded = event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && commanded) decision.requestSubmit();
    else if (commanded || event.altKey || isField(event.target) || !form.press(keyOf(event))) return;
    event.preventDefault();
  });
}

const decision = $("#decision");
if (decision) equipDecision(decision);
