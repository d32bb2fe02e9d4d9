/// Shown where a request is refused: what happened, and what to do.
package struct ProblemScreen: Sendable {
    /// The kind of problem in a few words.
    package var title: String
    /// What happened, and what to do.
    package var detail: String

    /// Creates the screen.
    package init(title: String, detail: String) {
        self.title = title
        self.detail = detail
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("problem.title"),
            content: """
                <div class="notice problem" role="alert">\(Icon.stopped.html)<div><p><strong>\(title)</strong></p>\
                <p class="detail">\(detail)</p></div></div>
                <p><a class="button" href="/">\(texts("problem.back"))</a></p>
                """)
    }
}
