// Types and sends the code that a link has in its fragment: /login#7KQ2-XW9M.
const code = decodeURIComponent(location.hash.slice(1));
if (code) {
    // Neither the history nor a shared address keeps it.
    history.replaceState(null, "", location.pathname);
    const form = document.getElementById("login");
    form.elements.code.value = code;
    form.requestSubmit();
}
