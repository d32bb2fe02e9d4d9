import KioskPrintModel

/// Why a login did not work.
package enum LoginFailure: Hashable, Sendable {
    /// The code is wrong, used or over.
    case wrong
    /// There were too many wrong codes.
    case throttled(seconds: Int)
}

/// Where a one-time code is typed. A link brings the code in its fragment, which the script types and sends.
package struct LoginScreen: Sendable {
    /// Why the last attempt did not work; nil for a first one.
    package var failure: LoginFailure?

    /// Creates the screen.
    package init(failure: LoginFailure? = nil) { self.failure = failure }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        let message = failure.map { words($0, texts) }
        return PageScreen(
            title: texts("login.title"),
            content: """
                <form class="card" id="login" method="post" action="/login">
                <p>\(texts("login.hint"))</p>
                <pre><code>sudo kioskctl admin</code></pre>
                <div class="field"><label for="code">\(texts("login.code"))</label>
                <input id="code" name="code" required maxlength="16" size="12" autocomplete="one-time-code" \
                autocapitalize="characters" spellcheck="false" autofocus placeholder="XXXX-XXXX"\
                \(attribute: "aria-describedby", message == nil ? nil : "wrong")\
                \(attribute: "aria-invalid", message == nil ? nil : "true")>
                \(message.map(markup))</div>
                <p><button type="submit">\(texts("login.submit"))</button></p>
                </form>
                """,
            scripts: [PageAssets.loginScript])
    }

    private func words(_ failure: LoginFailure, _ texts: Texts) -> String {
        switch failure {
        case .wrong: texts("login.wrong")
        case .throttled(let seconds): texts("login.throttled", ["seconds": String(seconds)])
        }
    }

    private func markup(_ message: String) -> HTML {
        "<p class=\"wrong\" id=\"wrong\" role=\"alert\">\(message)</p>"
    }
}
