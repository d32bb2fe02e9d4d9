import KioskPrintModel

/// The parts of the page, in the order of its navigation.
package enum PageSection: String, CaseIterable, Sendable {
    case printers, roles, jobs, receipt, health, fleet, profiles, trust, tokens, changes

    /// The path of its first screen.
    package var path: String { self == .printers ? "/" : "/\(rawValue)" }

    var icon: Icon {
        switch self {
        case .printers: .printer
        case .roles: .role
        case .jobs: .queue
        case .receipt: .receipt
        case .health: .health
        case .fleet: .fleet
        case .profiles: .profile
        case .trust: .trust
        case .tokens: .token
        case .changes: .change
        }
    }
}

/// What stands around every screen: the document's head, the navigation, the notice and the live region.
package struct PageFrame: Sendable {
    /// The texts in the reader's language.
    package var texts: Texts
    /// The section that is marked in the navigation; nil for none, as on the login screen.
    package var section: PageSection?
    /// Who is logged in, for people; nil where nobody is.
    package var user: String?
    /// The machine's name.
    package var host: String
    /// A message about what was just done.
    package var notice: PageNotice?
    /// Whether the kiosk belongs to a fleet; else the navigation has no link to it.
    package var isInFleet: Bool

    /// Creates a frame.
    package init(
        texts: Texts, section: PageSection?, user: String? = nil, host: String = "", notice: PageNotice? = nil,
        isInFleet: Bool = false
    ) {
        self.texts = texts
        self.section = section
        self.user = user
        self.host = host
        self.notice = notice
        self.isInFleet = isInFleet
    }

    /// The whole document of a screen.
    package func document(_ screen: PageScreen) -> HTML {
        """
        <!DOCTYPE html>
        <html lang="\(texts.language)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(screen.title) · \(host.isEmpty ? texts("product") : host)</title>
        <link rel="stylesheet" href="\(PageAssets.style.url)">
        <link rel="icon" href="\(PageAssets.icon.url)" type="image/svg+xml">
        \(([PageAssets.script] + screen.scripts).html(Self.script))
        </head>
        <body data-lost="\(texts("live.lost"))" data-back="\(texts("live.back"))" \
        data-changed="\(texts("live.changed"))">
        <a class="skip" href="#main">\(texts("skip"))</a>
        \(header)
        <main id="main" tabindex="-1"\(attribute: "data-events", screen.events.isEmpty ? nil : screen.events.joined(separator: " "))\(attribute: "data-refresh", screen.refreshSeconds.map(String.init))>
        <div class="screen">
        \(notice.map(noticeMarkup))
        <div class="title"><h1>\(screen.title)</h1>\(screen.actions)</div>
        \(screen.content)
        </div>
        </main>
        <div id="connection" role="status" hidden></div>
        <div id="announcement" class="unseen" aria-live="polite"></div>
        </body>
        </html>

        """
    }

    private static func script(_ asset: PageAsset) -> HTML {
        "<script type=\"module\" src=\"\(asset.url)\"></script>\n"
    }

    private var header: HTML {
        guard section != nil || user != nil else { return "<header class=\"bar\">\(brand)</header>" }
        let links = PageSection.allCases.filter { $0 != .fleet || isInFleet }.html { section in
            "<li><a href=\"\(section.path)\"\(attribute: "aria-current", section == self.section ? "page" : nil)>\(section.icon.html)<span>\(texts.member(section.rawValue, of: "nav") ?? section.rawValue)</span></a></li>\n"
        }
        return """
            <header class="bar">\(brand)
            <nav aria-label="\(texts("nav"))"><ul>
            \(links)</ul></nav>
            \(user.map(userMarkup))
            </header>
            """
    }

    private var brand: HTML {
        "<p class=\"brand\"><a href=\"/\">\(Icon.printer.html)<span>\(texts("product"))</span></a>\(host.isEmpty ? .empty : HTML("<span class=\"host\">\(host)</span>"))</p>"
    }

    private func userMarkup(_ user: String) -> HTML {
        """
        <form class="user" method="post" action="/logout"><span>\(user)</span>
        <button class="quiet" type="submit">\(texts("logout"))</button></form>
        """
    }

    private func noticeMarkup(_ notice: PageNotice) -> HTML {
        let words: HTML = "<p>\(notice.message)</p>\(notice.detail.map { "<p class=\"detail\">\($0)</p>" })"
        return switch notice.kind {
        case .done: "<div class=\"notice done\" role=\"status\">\(Icon.check.html)<div>\(words)</div></div>"
        case .problem: "<div class=\"notice problem\" role=\"alert\">\(Icon.stopped.html)<div>\(words)</div></div>"
        }
    }
}

/// A message above a screen: what was done, or why it was not.
package struct PageNotice: Hashable, Sendable {
    /// Whether it went well.
    package enum Kind: Sendable { case done, problem }
    /// Whether it went well.
    package var kind: Kind
    /// One sentence.
    package var message: String
    /// More, such as what to do.
    package var detail: String?

    /// Creates a message.
    package init(_ kind: Kind, _ message: String, detail: String? = nil) {
        self.kind = kind
        self.message = message
        self.detail = detail
    }
}

/// One screen, without what stands around every screen.
package struct PageScreen: Sendable {
    /// The heading, and the document's title.
    package var title: String
    /// Links and buttons beside the heading.
    package var actions: HTML
    /// What stands below the heading.
    package var content: HTML
    /// The events after which the script reads the regions that are marked with `data-live` again: the beginnings of
    /// their kinds, such as `printer`, `registry`, `job`. None: the screen is not live.
    package var events: [String]
    /// After so many seconds the script reads them again in any case, for what no event tells; nil: never.
    package var refreshSeconds: Int?
    /// Scripts of its own, besides the one of all screens.
    package var scripts: [PageAsset]

    /// Creates a screen.
    package init(
        title: String, actions: HTML = .empty, content: HTML, events: [String] = [], refreshSeconds: Int? = nil,
        scripts: [PageAsset] = []
    ) {
        self.title = title
        self.actions = actions
        self.content = content
        self.events = events
        self.refreshSeconds = refreshSeconds
        self.scripts = scripts
    }
}
