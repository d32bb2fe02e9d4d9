// What all screens share: they follow the daemon's events, and their forms answer at once. Everything works without
// this script too; it makes no markup, but takes over parts of documents that the daemon has made.

const kinds = [
    "job-created", "job-changed", "job-progress", "printer-changed", "registry-reloaded", "registry-refused", "resync",
];
const main = document.getElementById("main");
const words = document.body.dataset;
const wanted = (main.dataset.events ?? "").split(" ").filter(Boolean);

// Documents

/** Asks for a screen's document; a form's fields make it a POST. */
export function load(url, fields, signal) {
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.open(fields ? "POST" : "GET", url);
        // Whoever is not logged in is shown the login in place of it.
        request.setRequestHeader("Accept", "text/html");
        request.responseType = "document";
        request.timeout = 30_000;
        request.onload = () => {
            if (!request.response?.getElementById("main")) return reject(new Error(`status ${request.status}`));
            localise(request.response);
            resolve({ document: request.response, status: request.status, url: request.responseURL });
        };
        request.onerror = request.ontimeout = request.onabort = () => reject(new Error("no answer"));
        signal?.addEventListener("abort", () => request.abort());
        request.send(fields);
    });
}

/** Whether one node may become the other. */
function isLike(old, fresh) {
    return old.nodeType === fresh.nodeType && old.localName === fresh.localName && (old.id ?? "") === (fresh.id ?? "")
        && (old.nodeType !== Node.ELEMENT_NODE || !!old.id || old.getAttribute("class") === fresh.getAttribute("class"));
}

/** Makes `old` like `fresh`, and keeps every element that stays: with it the focus, and what a person has typed. */
export function morph(old, fresh) {
    if (old.isEqualNode(fresh)) return;
    if (old.nodeType === Node.TEXT_NODE) {
        old.data = fresh.data;
        return;
    }
    for (const { name } of [...old.attributes]) {
        if (!fresh.hasAttribute(name) && !(name === "open" && old.localName === "details")) old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
        if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    const keyed = new Map();
    for (const child of old.children) if (child.id) keyed.set(child.id, child);
    let next = old.firstChild;
    for (const child of [...fresh.childNodes]) {
        let match = child.id ? keyed.get(child.id) : next;
        // What stands before it may be gone, such as a notice.
        while (match && !isLike(match, child)) match = child.id ? null : match.nextSibling;
        if (!match) {
            old.insertBefore(document.importNode(child, true), next);
            continue;
        }
        if (match === next) next = next.nextSibling;
        else old.insertBefore(match, next);
        morph(match, child);
    }
    while (next) {
        const gone = next;
        next = next.nextSibling;
        gone.remove();
    }
}

/** Takes over the live regions of a newer document of this screen. */
function takeOver(fresh) {
    const said = sayings(document);
    const focused = document.activeElement;
    for (const region of document.querySelectorAll("[data-live]")) {
        const newer = fresh.getElementById(region.id);
        if (newer) morph(region, newer);
    }
    if (focused !== document.activeElement || focused?.disabled) focusNear(focused);
    for (const [id, text] of sayings(document)) if (said.get(id) !== text) announce(text);
}

/** Gives the focus to a control or, where it cannot take it any more, to the nearest one of its list item that can. */
function focusNear(control) {
    if (!control?.isConnected) return;
    const all = [...control.closest("li")?.querySelectorAll("button") ?? []];
    const place = all.indexOf(control);
    const distance = (button) => Math.abs(all.indexOf(button) - place);
    const usable = all.filter((button) => !button.disabled).sort((one, other) => distance(one) - distance(other));
    (control.disabled ? usable[0] : control)?.focus({ preventScroll: true });
}

const sayings = (root) => new Map([...root.querySelectorAll("[data-say]")].map((one) => [one.id, one.dataset.say]));

let announcements = [];
function announce(text) {
    if (!text) return;
    announcements = [...announcements, text].slice(-3);
    document.getElementById("announcement").textContent = announcements.join(". ");
    setTimeout(() => { announcements = announcements.filter((other) => other !== text); }, 4000);
}

// Times

const language = document.documentElement.lang;
const exact = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
const units = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];

function localise(root) {
    for (const time of root.querySelectorAll("time[datetime]")) {
        const moment = new Date(time.dateTime);
        if (Number.isNaN(moment.valueOf())) continue;
        if (!time.hasAttribute("data-ago")) {
            time.textContent = exact.format(moment);
            continue;
        }
        const seconds = Math.round((moment - Date.now()) / 1000);
        const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? units.at(-1);
        time.textContent = relative.format(Math.trunc(seconds / size), unit);
        time.title = exact.format(moment);
    }
}

// Events

let source = null;
let retry = 0;
let timer = 0;
let isLost = false;
let running = null;
let isStale = false;

/** Reads the live regions again: once at a time, and once more where something happened meanwhile. */
export async function refresh() {
    if (running) {
        isStale = true;
        return running;
    }
    running = (async () => {
        do {
            isStale = false;
            try {
                const { document: fresh, url } = await load(location.href);
                // The session has ended: the login screen says the rest.
                if (new URL(url).pathname !== location.pathname) return location.reload();
                takeOver(fresh);
            } catch {
                // What was asked for meanwhile is asked for again.
                if (!isStale) return;
            }
            await new Promise((done) => setTimeout(done, 100));
        } while (isStale);
    })();
    await running;
    running = null;
}

function connect() {
    clearTimeout(timer);
    source?.close();
    if (document.hidden || !wanted.length) return;
    source = new EventSource("/v1/events?watch=printers");
    source.onopen = () => {
        retry = 0;
        show(false);
        // What happened while nobody listened.
        refresh();
    };
    source.onerror = () => {
        show(true);
        source.close();
        // A restart of the daemon ends all sessions: the page then shows the login.
        refresh();
        timer = setTimeout(connect, Math.min(10_000, 500 * 2 ** retry++) * (0.75 + Math.random() / 2));
    };
    for (const kind of kinds) {
        if (kind !== "resync" && !wanted.some((beginning) => kind.startsWith(beginning))) continue;
        source.addEventListener(kind, (event) => {
            document.dispatchEvent(new CustomEvent(`kiosk:${kind}`, { detail: event.data }));
            refresh();
        });
    }
}

function show(lost) {
    if (lost === isLost) return;
    isLost = lost;
    const line = document.getElementById("connection");
    line.hidden = !lost;
    line.textContent = lost ? words.lost : "";
    if (!lost) announce(words.back);
}

document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
        clearTimeout(timer);
        source?.close();
        source = null;
    } else {
        connect();
    }
});
window.addEventListener("pagehide", () => source?.close());
window.addEventListener("pageshow", (event) => { if (event.persisted) connect(); });

// Forms

/** Sends a form, and shows the screen that answers: this one with its changes, or another. */
async function send(form, button) {
    const fields = new URLSearchParams(new FormData(form));
    if (button?.name) fields.append(button.name, button.value);
    const focus = button?.id;
    button?.setAttribute("aria-busy", "true");
    try {
        const { document: fresh, status, url } = await load(form.action, fields);
        const target = new URL(url);
        if (status < 400 && target.pathname !== location.pathname) return location.assign(url);
        const said = sayings(document);
        morph(document.querySelector(".screen"), fresh.querySelector(".screen"));
        for (const [id, text] of sayings(document)) if (said.get(id) !== text) announce(text);
        const notice = document.querySelector(".screen > .notice");
        announce(notice?.textContent.trim());
        if (status >= 400) notice?.scrollIntoView({ block: "nearest" });
        if (focus) focusNear(document.getElementById(focus));
    } catch {
        show(true);
        connect();
    } finally {
        button?.removeAttribute("aria-busy");
    }
}

document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-quick]")) return;
    event.preventDefault();
    if (event.submitter?.getAttribute("aria-busy") === "true") return;
    if (event.submitter?.dataset.move) moveItem(event.submitter);
    send(form, event.submitter);
});

// An order: by its buttons, by Alt and an arrow key, or by drag

/** Shows the new order at once; the answer puts it right where it differs. */
function moveItem(button) {
    const item = button.closest("li");
    const isUp = button.dataset.move === "up";
    const other = isUp ? item.previousElementSibling : item.nextElementSibling;
    if (other) isUp ? other.before(item) : other.after(item);
    button.focus();
}

document.addEventListener("keydown", (event) => {
    if (!event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    const item = event.target.closest?.(".order > li");
    const button = item?.querySelector(`[data-move="${event.key === "ArrowUp" ? "up" : "down"}"]`);
    if (!button || button.disabled) return;
    event.preventDefault();
    button.focus();
    button.click();
});

let dragged = null;
document.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.(".order > li[draggable]") ?? null;
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.id);
    dragged.classList.add("dragged");
});
document.addEventListener("dragover", (event) => {
    const over = event.target.closest?.(".order > li");
    if (!dragged || !over || over.parentElement !== dragged.parentElement) return;
    event.preventDefault();
    if (over === dragged) return;
    const { top, height } = over.getBoundingClientRect();
    event.clientY < top + height / 2 ? over.before(dragged) : over.after(dragged);
});
document.addEventListener("drop", (event) => { if (dragged) event.preventDefault(); });
document.addEventListener("dragend", () => {
    if (!dragged) return;
    dragged.classList.remove("dragged");
    const list = dragged.closest(".order");
    const form = document.getElementById(list.dataset.form);
    form.elements.order.value = [...list.children].map((item) => item.dataset.id).join(" ");
    dragged = null;
    send(form);
});

// Forms that were loaded before the browser went back to them say what the daemon has now.
localise(document);
setInterval(() => { if (!document.hidden) localise(document); }, 20_000);
// What no event tells, such as whether the hub is reached.
if (main.dataset.refresh) setInterval(() => { if (source && !isLost) refresh(); }, main.dataset.refresh * 1000);
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
connect();
