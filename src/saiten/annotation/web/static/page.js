/* The page on which one grades: fetches an item, shows it with its form, and hands what is said to the outbox. */
import { Ahead } from "./ahead.js";
import { Drafts } from "./drafts.js";
import { Finder } from "./finder.js";
import { Aspects } from "./forms/aspects.js";
import { Correct } from "./forms/correct.js";
import { Gist } from "./forms/gist.js";
import { Grade } from "./forms/grade.js";
import { Preference } from "./forms/preference.js";
import { drawTexts } from "./item_texts.js";
import { Keyboard, showKeys } from "./keyboard.js";
import { make, button, announce } from "./make.js";
import { Notices } from "./notices.js";
import { Outbox } from "./outbox.js";
import { Server, Unreachable } from "./server.js";
import { Storage } from "./storage.js";
import { equipBar } from "./bar.js";
import { Timer } from "./timer.js";
import { foldAll } from "./views.js";
import { data, word } from "./words.js";

const FORMS = { grade: Grade, correct: Correct, aspects: Aspects, gist: Gist, preference: Preference };
const LONGEST_REASON = 10_000;
const RECENT = 20;

const storage = new Storage(`saiten:${data.person.key}:`);
const server = new Server(data);
const drafts = new Drafts(storage);
const notices = new Notices(document.getElementById("notices"));
const timer = new Timer();
const finder = new Finder();
const main = document.getElementById("main");
const place = { item: null, form: null, reason: null, unclear: null, dirty: false, contexts: [], views: [], base: "" };
const counted = { done: 0, total: null, since: new Set() };
let keeping = 0;
let retrying = 0;
let opening = 0;

const outbox = new Outbox({
  storage,
  server,
  told: {
    changed: () => {
      if (outbox.state === "idle") notices.clear("closed");
      bar.say();
    },
    stored: (entry, reply) => stored(entry, reply),
    refused: (entry, message) => refused(entry, message),
    closed: (why) => closed(why),
  },
});
const ahead = new Ahead({ server, taken: () => [...new Set([...outbox.entries.filter((entry) => entry.body?.fresh).map((entry) => entry.number), ...current()])] });
const bar = equipBar({ outbox, storage, server, notices, counted, help: () => help(), before: () => keepDraft() });

const current = () => (place.item && place.item.state !== "done" ? [place.item.number] : []);

/* ---- one item ---- */

function show(item, { edited = false } = {}) {
  place.form?.close?.();
  Object.assign(place, { item, dirty: false, contexts: [], views: [] });
  notices.clear("field");
  count(item);
  const { content } = item;
  const { heading, texts, named, folding, views } = drawTexts(content);
  Object.assign(place, { contexts: folding, views });
  const form = formOf(item, named, edited);
  main.replaceChildren(
    make("div", { class: "asked" }, make("div", { class: "line" },
      make("p", { class: "number", text: word("item_numbered", { number: item.number }) }),
      edited ? make("p", { class: "edits" }, word("edits_earlier"), " ", make("a", { href: "#", text: word("go_on") })) : null,
      finder.element), heading),
    texts, form,
  );
  main.dataset.form = data.form;
  main.dataset.number = item.number;
  main.removeAttribute("aria-busy");
  document.title = `${word("item_numbered", { number: item.number })} · ${data.texts.title} · saiten`;
  restore(item);
  finder.over(place.views);
  timer.begin(place.seconds ?? 0);
  scrollTo(0, 0);
  heading.focus({ preventScroll: true });
}

function formOf(item, views, edited) {
  const required = data.reason_required;
  const reason = make("textarea", { id: "reason", rows: "3", dir: "auto", maxlength: LONGEST_REASON, "aria-required": String(required) });
  const unclear = make("input", { type: "checkbox" });
  const form = new FORMS[data.form]({ item, texts: data.texts, views, changed });
  Object.assign(place, { form, reason, unclear });
  reason.addEventListener("input", changed);
  unclear.addEventListener("change", changed);
  const told = item.prelabel ? make("div", { class: "beforehand" },
    make("h3", { text: word("beforehand") }), make("p", { text: form.tell(item.prelabel), dir: "auto" }),
    button(word("take_over"), () => { form.write(item.prelabel); changed(); }, { class: "plain" })) : null;
  return make("form", { class: "rail", novalidate: true, "aria-label": data.texts.title, onsubmit: (event) => { event.preventDefault(); save(); } },
    make("details", { class: "about", open: storage.get("about") !== false, ontoggle: (event) => storage.set("about", event.target.open) },
      make("summary", { text: data.texts.title }), make("p", { text: data.texts.instructions })),
    told, form.element,
    make("div", { class: "reason", "data-stop": "reason", tabindex: "-1" },
      make("label", { for: "reason", text: word(required ? "reason" : "reason_optional") }), reason),
    make("label", { class: "check" }, unclear, make("span", { text: word("unclear") }), make("kbd", { text: "f", "aria-hidden": "true" })),
    make("p", { class: "problem", id: "problem", role: "alert" }),
    make("div", { class: "actions" },
      make("button", { type: "submit", class: "save" }, word("save"), make("kbd", { text: "Ctrl ⏎", "aria-hidden": "true" })),
      edited ? null : button(word("skip"), skip, { class: "plain" }),
      button(word("undo"), undo, { class: "plain" })));
}

/* What is said: a draft, else what waits in the outbox, else what the server has. */
function restore(item) {
  const draft = drafts.of(item.number);
  const waiting = outbox.pending(item.number);
  const found = draft ?? waiting?.body ?? item.answered;
  place.form.write(found?.payload ?? {});
  place.reason.value = found?.payload?.reason ?? "";
  place.unclear.checked = Boolean(found?.unclear);
  place.seconds = draft?.seconds ?? 0;
  place.base = said();
  place.dirty = draft !== null;
  place.draftAt = draft?.at ?? 0;
  if (draft?.refused) problem(word("server_says", { message: draft.refused }), null);
}

const payload = () => ({ ...place.form.read(), reason: sendable(place.reason.value).trim() });
const said = () => JSON.stringify([payload(), place.unclear.checked]);

/* Neither NUL nor half a surrogate pair can be stored anywhere. */
const sendable = (text) => text.replaceAll("\0", "").replace(/[\ud800-\udfff]/gu, "\ufffd");

function changed() {
  problem("");
  place.dirty = true;
  clearTimeout(keeping);
  keeping = setTimeout(keepDraft, 200);
}

function keepDraft() {
  clearTimeout(keeping);
  if (!place.item || !place.dirty) return;
  /* Nothing but what the server knows already is no draft. */
  if (said() === place.base && !drafts.of(place.item.number)) return;
  drafts.keep(place.item.number, { payload: payload(), unclear: place.unclear.checked, seconds: timer.seconds });
  place.draftAt = drafts.of(place.item.number)?.at ?? 0;
  bar.say();
}

function problem(message, at) {
  const line = document.getElementById("problem");
  for (const element of main.querySelectorAll("[aria-invalid]")) element.removeAttribute("aria-invalid");
  main.querySelector(".wrong")?.classList.remove("wrong");
  if (!line || (line.textContent === "" && message === "")) return;
  line.textContent = message;
  if (!message || !at) return;
  at.element.classList.add("wrong");
  if (at.element.matches("textarea")) at.element.setAttribute("aria-invalid", "true");
  at.focus();
}

function fault() {
  const { length } = [...place.reason.value];
  const writing = { element: place.reason, focus: () => place.reason.focus() };
  if (length > LONGEST_REASON) return { message: word("reason_long", { n: length, most: LONGEST_REASON }), at: writing };
  const found = place.form.problem({ unclear: place.unclear.checked });
  if (found) return found;
  return data.reason_required && !place.reason.value.trim() ? { message: word("give_reason"), at: writing } : null;
}

/* ---- saving and going on ---- */

function save() {
  if (!place.item) return;
  const wrong = fault();
  if (wrong) {
    problem(wrong.message, wrong.at);
    return;
  }
  const { number, state } = place.item;
  const body = { payload: payload(), unclear: place.unclear.checked, seconds: Math.round(timer.seconds * 10) / 10, fresh: state !== "done" };
  leaveItem("save", number, body);
}

function skip() {
  if (!place.item || place.item.state === "done") return false;
  keepDraft();
  leaveItem("skip", place.item.number, { fresh: true });
  return true;
}

function leaveItem(kind, number, body) {
  clearTimeout(keeping);
  if (kind === "save" && body.fresh) counted.since.add(number);
  /* First into the outbox, then out of the drafts: whenever the page ends, it stands in one of them. */
  outbox.put(kind, number, body);
  if (kind === "save") drafts.drop(number);
  place.form?.close?.();
  Object.assign(place, { item: null, form: null, dirty: false });
  ahead.forget(number);
  if (location.hash) history.replaceState(null, "", location.pathname);
  next();
}

function undo() {
  keepDraft();
  const latest = outbox.entries.findLast((entry) => entry.kind !== "undo");
  const dropped = outbox.takeBack();
  const known = dropped ?? (outbox.entries.at(-1)?.kind === "undo" ? null : latest);
  if (!dropped) outbox.put("undo", 0);
  if (known) takenBack(known.number, known);
  else if (outbox.state === "offline" || outbox.state === "away") notices.tell("undo", word("undo_waits"));
}

/* The item comes back into the form as it was said. */
function takenBack(number, entry) {
  counted.since.delete(number);
  if (entry?.kind === "save" && !drafts.of(number)) {
    drafts.keep(number, { payload: entry.body.payload, unclear: entry.body.unclear, seconds: entry.body.seconds });
  }
  notices.tell("undo", word("taken_back", { number }), { seconds: 8 });
  openNumber(number);
}

const recent = () => storage.get("recent") ?? [];
const left = new Map(); /* the latest items that were shown by this page, by number */

function remember(item) {
  left.delete(item.number);
  left.set(item.number, item);
  if (left.size > RECENT) left.delete(left.keys().next().value);
}

function stored(entry, reply) {
  if (entry.kind === "undo") {
    const number = reply?.number;
    if (!number) {
      notices.tell("undo", word("nothing_to_undo"), { seconds: 5 });
      return;
    }
    const list = recent();
    const at = list.findLastIndex((each) => each.number === number);
    const last = at < 0 ? null : list.splice(at, 1)[0];
    storage.set("recent", list);
    if (place.item?.number === number) {
      /* It was opened when the key was pressed; if it still counted as done then, it does no more. */
      if (place.item.state === "done") openNumber(number);
      return;
    }
    if (place.item && drafts.of(place.item.number) && place.dirty) {
      notices.tell("undo", word("taken_back", { number }), { action: [word("open_item", { number }), () => { takenBack(number, last); }] });
    } else {
      takenBack(number, last);
    }
    return;
  }
  storage.set("recent", [...recent(), { number: entry.number, kind: entry.kind, body: entry.body }].slice(-RECENT));
}

/* The server will never take it: it becomes a draft again, unless something newer is there. */
function refused(entry, message) {
  const { number } = entry;
  if (entry.kind === "undo") {
    notices.tell("undo", word("server_says", { message }), { urgent: true });
    return;
  }
  const newer = drafts.of(number) || outbox.entries.some((other) => other.number === number && other.key > entry.key);
  if (entry.kind === "save" && !newer) {
    drafts.keep(number, { payload: entry.body.payload, unclear: entry.body.unclear, seconds: entry.body.seconds, refused: message });
  }
  counted.since.delete(number);
  const quiet = place.item === null || !place.dirty;
  if (entry.kind === "save" && quiet) openNumber(number);
  notices.tell(`refused-${number}`, word("refused", { number, message }), {
    urgent: true, action: entry.kind === "save" && !quiet ? [word("open_item", { number }), () => openNumber(number)] : null,
  });
}

function closed(why) {
  const other = why === "other";
  const text = other ? word("other_person") : `${word("closed_title")} ${word("closed", { n: outbox.entries.length })}`;
  const again = () => { outbox.hurry(); if (!place.item) start(); };
  notices.tell(other ? "other" : "closed", text, { urgent: true, action: other ? null : [word("try_now"), again] });
}

/* Whether the latest page of this server that was opened in this browser was this person's. */
function here() {
  try {
    return (localStorage.getItem("saiten:here") ?? data.person.key) === data.person.key;
  } catch {
    return true;
  }
}

/* ---- which item comes ---- */

async function next() {
  opening += 1;
  const mine = opening;
  wait();
  if (!here()) {
    closed("other");
    return;
  }
  try {
    const item = await ahead.next();
    if (mine !== opening) return;
    notices.clear("next");
    if (item) {
      remember(item);
      show(item);
    } else {
      finished();
    }
    ahead.fill();
  } catch (error) {
    if (mine !== opening) return;
    cannot(error, next);
  }
}

/* Without a connection an item that was just left is still known. */
async function openNumber(number) {
  opening += 1;
  const mine = opening;
  keepDraft();
  /* What is left for it comes back afterwards. */
  if (current().length && place.item.number !== number) ahead.ready.unshift(place.item);
  wait();
  if (!here()) {
    closed("other");
    return;
  }
  try {
    const { status, body } = await server.ask(`/api/items/${number}`);
    if (mine !== opening) return;
    if (status === 404) {
      notices.tell("next", word("no_such_item", { number }), { seconds: 8 });
      history.replaceState(null, "", location.pathname);
      next();
      return;
    }
    if (status === 401 || status === 403) throw Object.assign(new Error("closed"), { closed: true });
    if (status !== 200 || typeof body?.number !== "number") throw new Unreachable(`status ${status}`);
    notices.clear("next");
    ahead.forget(number);
    remember(body);
    show(body, { edited: body.state === "done" });
  } catch (error) {
    if (mine !== opening) return;
    if (left.has(number) && !error.closed) {
      ahead.forget(number);
      show(left.get(number));
    } else {
      cannot(error, () => openNumber(number));
    }
  }
}

function wait() {
  place.form?.close?.();
  Object.assign(place, { item: null, form: null, dirty: false });
  timer.stop();
  main.setAttribute("aria-busy", "true");
  main.replaceChildren(make("p", { class: "loading", text: word("loading") }));
}

async function cannot(error, again) {
  clearTimeout(retrying);
  if (error.closed) {
    try {
      const why = await server.renew();
      if (why === "renewed") again();
      else closed(why);
      return;
    } catch { /* no connection after all */ }
  } else if (!(error instanceof Unreachable)) {
    notices.tell("next", word("broken_answer"), { urgent: true });
    throw error;
  }
  const mine = opening;
  const retry = () => { if (mine === opening) again(); };
  main.replaceChildren(make("p", { class: "loading", text: word("no_item_offline") }), button(word("try_now"), retry, { class: "plain" }));
  retrying = setTimeout(retry, 3_000 + Math.random() * 2_000);
  window.addEventListener("online", retry, { once: true });
}

function finished() {
  const waiting = outbox.entries.length;
  main.removeAttribute("aria-busy");
  document.title = `${word("all_done_title")} · saiten`;
  const heading = make("h1", { tabindex: "-1", text: word("all_done_title") });
  main.replaceChildren(make("section", { class: "finished" }, heading, make("p", { text: word("all_done") }),
    make("p", { class: "still", text: waiting ? word("all_done_waiting", { n: waiting }) : "" }),
    make("p", { text: word("all_done_edit") }),
    make("p", { class: "actions" }, make("a", { class: "button", href: "/mine", text: word("mine") }), button(word("look_again"), () => next(), { class: "plain" }), button(word("undo"), undo, { class: "plain" }))));
  heading.focus();
}

/* What the server counted when it gave the item, and what was said since. */
function count(item) {
  if (!item.progress) return;
  if (counted.seen?.has(item)) { bar.say(); return; }
  (counted.seen ??= new WeakSet()).add(item);
  if (item.progress.done < counted.done) { bar.say(); return; } /* fetched ahead, before the latest saves */
  counted.done = item.progress.done;
  counted.total = item.progress.total_for_me ?? null;
  const waiting = new Set(outbox.entries.filter((entry) => entry.kind === "save" && entry.body.fresh).map((entry) => entry.number));
  counted.since = waiting;
  bar.say();
}

/* ---- keys ---- */

function stop(step) {
  const stops = [...main.querySelectorAll("[data-stop]")];
  const at = stops.findLastIndex((each) => each.contains(document.activeElement));
  const to = stops[at < 0 ? (step > 0 ? 0 : stops.length - 1) : Math.min(Math.max(at + step, 0), stops.length - 1)];
  if (!to) return;
  (to.querySelector(".text[tabindex]") ?? to).focus({ preventScroll: true });
  to.scrollIntoView({ block: "nearest" });
}

const commands = {
  s: () => skip(),
  u: () => undo(),
  f: () => { if (place.unclear) { place.unclear.click(); announce(`${word("unclear")}: ${place.unclear.checked ? "✓" : "–"}`); } },
  r: () => place.reason?.focus(),
  c: () => foldAll(place.contexts),
  j: () => stop(1),
  k: () => stop(-1),
  "/": () => finder.input.focus(),
  "?": () => help(),
};
const keyboard = new Keyboard({ storage, commands, form: () => place.form, save });

function help() {
  if (document.querySelector("dialog[open]")) return;
  showKeys([
    ...(place.form?.keys ?? []), [["Ctrl+Enter", "⌘+Enter"], "keys_save"], [["j", "k"], "keys_stops"], [["s"], "keys_skip"],
    [["u"], "keys_undo"], [["f"], "keys_flag"], [["r"], "keys_reason"], [["/"], "keys_search"], [["c"], "keys_fold"],
    [["Esc"], "keys_escape"], [["?"], "keys_help"],
  ], keyboard);
}

/* ---- the page as a whole ---- */

window.addEventListener("beforeunload", (event) => {
  keepDraft();
  if (storage.unsafe) event.preventDefault();
});
window.addEventListener("pagehide", keepDraft);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) keepDraft();
  else if (place.item) meet();
});
window.addEventListener("storage", (event) => {
  if (event.key === "saiten:here") {
    if (!here()) {
      closed("other");
      return;
    }
    notices.clear("other");
    outbox.hurry();
    if (!place.item) start();
  }
  if (place.item && event.key?.startsWith(storage.prefix)) meet();
});

/* Another tab may have gone on with this item: what was said last counts. */
function meet() {
  const { number } = place.item;
  const draft = drafts.of(number);
  if (draft && draft.at > place.draftAt && !document.hasFocus()) {
    restore(place.item);
  } else if (!draft && place.draftAt && (outbox.pending(number) || recent().some((each) => each.number === number))) {
    notices.tell("next", word("changed_elsewhere"), { seconds: 8 });
    place.dirty = false;
    next();
  }
}

window.addEventListener("hashchange", start);

function start() {
  const unsaved = drafts.refused;
  if (unsaved.length) {
    const action = [word("open_item", { number: unsaved[0] }), () => openNumber(unsaved[0])];
    notices.tell("refused", word("refused_some", { n: unsaved.length }), { urgent: true, action });
  }
  const number = Number(location.hash.slice(1));
  if (Number.isInteger(number) && number > 0) openNumber(number);
  else next();
}

try {
  localStorage.setItem("saiten:here", data.person.key);
} catch { /* told by the bar */ }
outbox.hurry();
start();
