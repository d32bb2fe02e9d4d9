// Prints from a web page; see docs/browser-tills.md of the print kiosk engine.
const persist = async (signal, attempt) => {
  for (let delay = 250; ; delay = Math.min(2 * delay, 8000)) try {
    return await attempt();
  } catch (error) {
    if (signal?.aborted || ![undefined, 429, 502, 503, 504].includes(error.status)) throw error;
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
};

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
    const show = (job) => {
      queueMicrotask(() => callback(job));
      return (/^(completed|canceled|aborted)$/.test(job["job-state"]) || job.unconfirmed) && job;
    };
    const read = async () => show(await (await this.#send("/v1/jobs/" + id, {signal})).json());
    return persist(signal, async () => {
      const {body} = await this.#send("/v1/events", {headers: last && {"Last-Event-ID": last}, signal});
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      try {
        let end = !last && await read(), rest = "";
        while (!end) {
          const {value, done} = await reader.read();
          if (done) throw TypeError("The stream ended");
          const events = (rest + value).split("\n\n");
          rest = events.pop();
          for (const event of events) {
            const {kind, job} = JSON.parse(/^data: (.*)/m.exec(event)?.[1] ?? "{}");
            last = /^id: (.*)/m.exec(event)?.[1] ?? last;
            end ||= kind === "resync" ? await read() : job?.id === id && show(job);
          }
        }
        return end;
      } finally {
        reader.cancel().catch(() => {});
      }
    });
  }

  async diagnose() {
    let reason = "ready";
    try {
      await this.#send("/v1/roles");
    } catch ({status, code}) {
      if (code === "origin-not-allowed") reason = "origin";
      else if (status === 401) reason = "token";
      else if (!status) reason = await fetch(this.#url + "/kiosk.js", {mode: "no-cors"})
        .then(() => "origin", () => "absent");
    }
    const permission = await navigator.permissions.query({name: "local-network-access"})
      .then(({state}) => state, () => undefined);
    return {reason: reason === "absent" && permission === "denied" ? "permission" : reason, permission};
  }

  async #send(path, {headers, ...init} = {}) {
    headers = {...headers, Authorization: "Bearer " + this.#token};
    const response = await fetch(this.#url + path, {...init, headers, credentials: "omit"});
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    throw Object.assign(Error(problem.detail), problem, {status: response.status});
  }
}
