// The receipt editor: shows the receipt while it is written, as the chosen printer prints it.

const form = document.getElementById("receipt");
const { markup, target } = form.elements;
const preview = document.getElementById("preview");
const findings = document.getElementById("findings");
let timer = 0;
let running = null;
let picture = null;

/** The preview on the paper of the chosen printer, in one form. */
function ask(accept, signal) {
    const query = new URLSearchParams();
    const printer = target?.selectedOptions[0]?.dataset.printer;
    if (printer) query.set("printer", printer);
    return fetch(`/v1/preview?${query}`, {
        method: "POST", body: markup.value, signal,
        headers: { "Content-Type": "text/receiptline", Accept: accept },
    });
}

async function show() {
    running?.abort();
    if (!markup.value.trim()) return;
    const { signal } = (running = new AbortController());
    try {
        const [png, json] = await Promise.all([ask("image/png", signal), ask("application/json", signal)]);
        const words = await json.json();
        if (signal.aborted) return;
        tell(json.ok ? words.remarks : words.problems ?? [{ message: words.detail }]);
        // The last good picture stays while the text has a mistake.
        preview.toggleAttribute("data-old", !png.ok);
        if (png.ok) await paint(await png.blob(), words.text);
    } catch {
        if (!signal.aborted) tell([{ message: form.dataset.failed }]);
    }
}

async function paint(blob, text) {
    const url = URL.createObjectURL(blob);
    const image = picture ?? document.createElement("img");
    const old = image.src;
    image.src = url;
    image.alt = text ?? "";
    await image.decode().catch(() => {});
    if (!picture) preview.replaceChildren((picture = image));
    if (old) URL.revokeObjectURL(old);
}

function tell(list) {
    findings.replaceChildren(...list.map(({ line, column, message, instead }) => {
        const item = document.createElement("li");
        item.className = "reason warn";
        const place = [line, column].filter(Boolean).join(":");
        item.textContent = [place, message].filter(Boolean).join(": ") + (instead ? `; ${instead}` : "");
        return item;
    }));
}

function later() {
    clearTimeout(timer);
    timer = setTimeout(show, 400);
}

markup.addEventListener("input", later);
target?.addEventListener("change", show);
document.getElementById("show").addEventListener("click", (event) => {
    event.preventDefault();
    show();
});
show();
