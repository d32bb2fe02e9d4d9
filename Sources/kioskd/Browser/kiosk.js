// Prints from a web page: docs/browser-tills.md
async function persist(signal, attempt) {
  for (let delay = 250; ; delay = Math.min(2 * delay, 8000)) try {
    return await attempt();
  } catch (error) {
    if (signal?.aborted || ![undefined, 429, 502, 503, 504].includes(error.status)) throw error;
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let blocks = ["", ""]; ;) {
      const rest = blocks.pop();
      yield* blocks;
      const {value, done} = await reader.read();
      if (done) throw Error("The stream ended");
      blocks = (rest + value).split("\n\n");
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

export class Kiosk {
  #token; #url;

  constructor(token, url = new URL(import.meta.url).origin) {
    this.#token = token;
    this.#url = url;
  }

  print(role, body, {key = crypto.randomUUID(), wait = 0, type = "text/receiptline", deadline = wait + 60, ...ticket} = {}) {
    const path = "/v1/jobs?" + new URLSearchParams({role, wait, ...ticket});
    const headers = {"Content-Type": type, "Idempotency-Key": key};
    const signal = AbortSignal.timeout(deadline * 1000);
    return persist(signal, async () => (await this.#send(path, {method: "POST", body, headers, signal})).json());
  }

  openDrawer(role, options) { return this.print(role, "{drawer: 1}", options); }

  follow(id, callback, {signal} = {}) {
    let last;
    return persist(signal, async () => {
      const {body} = await this.#send("/v1/events", {headers: last && {"Last-Event-ID": last}, signal});
      for await (const event of events(body)) {
        last = /^id: (.*)/m.exec(event)?.[1] ?? last;
        let {kind, job} = JSON.parse(/^data: (.*)/m.exec(event)?.[1] ?? "{}");
        if (!last || kind === "resync") job = await (await this.#send("/v1/jobs/" + id, {signal})).json();
        if (job?.id != id) continue;
        queueMicrotask(() => callback(job));
        if (/^(completed|canceled|aborted|pending-held)$/.test(job["job-state"])) return job;
      }
    });
  }

  async diagnose() {
    let reason = await this.#send("/v1/roles").then(() => "ready", ({status, code}) =>
      code === "origin-not-allowed" ? "origin" : status === 401 ? "token" : status ? "ready"
        : fetch(this.#url + "/kiosk.js", {mode: "no-cors"}).then(() => "origin", () => "absent"));
    const {state: permission} = await navigator.permissions.query({name: "local-network-access"}).catch(() => ({}));
    if (reason === "absent" && permission === "denied") reason = "permission";
    return {reason, permission};
  }

  async #send(path, init) {
    const headers = {...init?.headers, Authorization: "Bearer " + this.#token};
    const response = await fetch(this.#url + path, {...init, headers, credentials: "omit"});
    if (response.ok) return response;
    const problem = await response.json().catch(() => {});
    throw Object.assign(Error(problem?.detail), problem, {status: response.status});
  }
}
