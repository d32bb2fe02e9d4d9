// Adding a printer: looks at the URL while it is typed, and lists printers as they are found.

// The very module of all screens, under the address that names its content: another address would load it twice.
const { load, morph } = await import(document.querySelector('script[src^="/assets/page.js"]').src);

const form = document.getElementById("add");
const url = form.elements.url;
const state = document.getElementById("probing");
let timer = 0;
let running = null;
let looked = form.elements.id ? url.value : "";

/** Probes what the form holds, and shows the answer where it is the newest. */
async function probe(button) {
    running?.abort();
    const { signal } = (running = new AbortController());
    const fields = new URLSearchParams(new FormData(form));
    if (url.value !== looked) for (const name of ["id", "name", "location", "profile", "accept", "trust"]) fields.delete(name);
    fields.set("do", "probe");
    if (button?.name === "take") fields.set("take", button.value);
    looked = url.value;
    state.textContent = state.dataset.busy;
    try {
        const { document: fresh } = await load(form.action, fields, signal);
        if (signal.aborted) return;
        morph(document.getElementById("probe"), fresh.getElementById("probe"));
        const other = fresh.getElementById("field-url").value;
        if (button?.name === "take") url.value = looked = other;
        document.getElementById("discovery")?.toggleAttribute("hidden", true);
    } catch {
        // Overtaken by a newer one, or no answer: the button asks again.
    } finally {
        if (!signal.aborted) state.textContent = "";
    }
}

url.addEventListener("input", () => {
    clearTimeout(timer);
    // Whatever is still under way is about another URL.
    running?.abort();
    state.textContent = "";
    if (/^[a-z+]+:\S{3,}/i.test(url.value)) timer = setTimeout(probe, 400);
});

form.addEventListener("submit", (event) => {
    if (event.submitter?.name === "do" && event.submitter.value === "save") return;
    event.preventDefault();
    clearTimeout(timer);
    probe(event.submitter);
});

// Discovery

const panel = document.getElementById("discovery");
const list = document.getElementById("found");
const notes = document.getElementById("notes");
const status = document.getElementById("searching");
const rows = new Map();

function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
}

function row(printer) {
    const item = element("li", "choice");
    const words = element("div");
    const name = element("strong");
    name.append(element("bdi", "", printer["make-and-model"]));
    const place = [printer.location, printer.address, printer.port].filter(Boolean).join(" · ");
    const address = element("p", "small");
    address.append(element("code", "", printer.url));
    words.append(name, " ", element("span", "soft", place), address);
    for (const warning of printer.warnings ?? []) words.append(element("p", "small soft", warning));
    item.append(words);
    if (printer["saved-as"]) {
        const link = element("a", "tag", `${panel.dataset.saved} ${printer["saved-as"]}`);
        link.href = `/printers/${encodeURIComponent(printer["saved-as"])}`;
        item.append(link);
    }
    const button = element("button", "", panel.dataset.found);
    button.type = "button";
    button.append(element("span", "unseen", ` ${printer["make-and-model"]}`));
    button.addEventListener("click", () => {
        url.value = printer.url;
        url.focus();
        probe();
    });
    item.append(button);
    return item;
}

function search() {
    const source = new EventSource("/v1/discovery?for=5");
    rows.clear();
    list.replaceChildren();
    notes.replaceChildren();
    status.textContent = panel.dataset.searching;
    const end = () => {
        source.close();
        status.textContent = rows.size ? "" : panel.dataset.none;
    };
    source.addEventListener("printer", (event) => {
        const { number, printer } = JSON.parse(event.data);
        const fresh = row(printer);
        if (rows.has(number)) rows.get(number).replaceWith(fresh);
        else list.append(fresh);
        rows.set(number, fresh);
    });
    source.addEventListener("removed", (event) => {
        const { number } = JSON.parse(event.data);
        rows.get(number)?.remove();
        rows.delete(number);
    });
    source.addEventListener("note", (event) => {
        notes.append(element("li", "reason", JSON.parse(event.data).message));
    });
    source.addEventListener("end", end);
    source.onerror = end;
    window.addEventListener("pagehide", () => source.close(), { once: true });
}

if (panel) {
    panel.querySelector("form").addEventListener("submit", (event) => {
        event.preventDefault();
        search();
    });
    if (!list.children.length) search();
}
