import KioskPrintModel

/// A file that the page needs: style, script or icons. It is part of the program.
package struct PageAsset: Sendable {
    /// Its name below `/assets/`.
    package let name: String
    /// Its media type.
    package let mediaType: String
    /// Its content.
    package let bytes: [UInt8]
    /// A hash of its content, for its `ETag` and its URL.
    package let hash: String

    init(_ name: String, _ mediaType: String, _ bytes: [UInt8]) {
        self.name = name
        self.mediaType = mediaType
        self.bytes = bytes
        // FNV-1a: it tells versions of our own files apart, no more.
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        self.hash = String(hash, radix: 36)
    }

    /// The URL that names this very content, so that a browser may keep it for good.
    package var url: String { "/assets/\(name)?v=\(hash)" }
}

/// The files that the page needs.
package enum PageAssets {
    /// The style sheet of all screens.
    package static let style = PageAsset("page.css", "text/css; charset=utf-8", PackageResources.page_css)
    /// The script of all screens, an ES module.
    package static let script = PageAsset("page.js", "text/javascript; charset=utf-8", PackageResources.page_js)
    /// The icons, as symbols of one SVG document.
    package static let icons = PageAsset("icons.svg", "image/svg+xml", PackageResources.icons_svg)

    /// The script of the screen that adds a printer.
    package static let adding = PageAsset("add.js", "text/javascript; charset=utf-8", PackageResources.add_js)
    /// The script of the receipt editor.
    package static let receipt = PageAsset(
        "receipt.js", "text/javascript; charset=utf-8", PackageResources.receipt_js)

    /// The icon of the browser's tab.
    package static let icon = PageAsset("icon.svg", "image/svg+xml", PackageResources.icon_svg)

    /// The script of the login.
    package static let loginScript = PageAsset(
        "login.js", "text/javascript; charset=utf-8", PackageResources.login_js)

    /// All files; a screen's own script is added here.
    package static let all = [style, script, icons, icon, adding, receipt, loginScript]

    /// The file of this name.
    package static func asset(named name: String) -> PageAsset? { all.first { $0.name == name } }
}

/// A picture of `icons.svg`; nothing is said by it alone.
package enum Icon: String, CaseIterable, Sendable {
    case ready, busy, attention, stopped, unreachable, unknown
    case printer, role, queue, receipt, health, fleet, profile, trust, token, change
    case up, down, plus, check, edit, remove, refresh, light

    /// The picture, hidden from screen readers: the word beside it says the same.
    package var html: HTML {
        "<svg class=\"icon\" aria-hidden=\"true\" focusable=\"false\"><use href=\"\(PageAssets.icons.url)#\(rawValue)\"/></svg>"
    }
}
