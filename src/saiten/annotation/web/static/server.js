/* Requests to our own server, and whose session they are made under. */
const PATIENCE = 15_000; /* milliseconds */

/* There was no answer, or none of our server's. */
export class Unreachable extends Error {}

export class Server {
  constructor({ csrf, person }) {
    this.csrf = csrf;
    this.person = person;
  }

  /* {status, body, after}: the status, the JSON object or null, and the seconds after which to come again. */
  async ask(path, { method = "GET", body, accept = "application/json", redirect = "error" } = {}) {
    const headers = { Accept: accept };
    if (method !== "GET") headers["X-CSRF"] = this.csrf;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let response;
    let text;
    try {
      response = await fetch(path, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "same-origin",
        cache: "no-store",
        redirect,
        signal: AbortSignal.timeout(PATIENCE),
      });
      text = await response.text();
    } catch (error) {
      throw new Unreachable(String(error));
    }
    const { status, type } = response;
    if (type === "opaqueredirect") return { status: 303, text: "", body: null, after: 0 };
    const after = Number(response.headers.get("Retry-After")) || 0;
    if (accept !== "application/json") return { status, text, after };
    try {
      return { status, body: text === "" ? null : JSON.parse(text), after };
    } catch {
      /* A page from a gateway, a café's login: not our server. */
      if (status < 400 || status >= 500) throw new Unreachable(`status ${status} without JSON`);
      return { status, body: null, after };
    }
  }

  /* "renewed": a session of the same person, whose token is used from now on; "other": somebody else's; "closed". */
  async renew() {
    const { status, text } = await this.ask("/", { accept: "text/html", redirect: "manual" });
    if (status === 303) return "other"; /* an admin, who is led to another page */
    if (status >= 500 || status === 429) throw new Unreachable(`status ${status}`);
    const island = new DOMParser().parseFromString(text, "text/html").getElementById("page-data");
    if (!island) return "closed";
    const found = JSON.parse(island.textContent);
    if (!found.person) return "closed";
    if (found.person.key !== this.person.key) return "other";
    this.csrf = found.csrf;
    return "renewed";
  }
}
