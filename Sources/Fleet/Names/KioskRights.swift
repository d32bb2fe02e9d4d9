/// What the kiosks of a site may do at the hub: the subjects that they may publish to and subscribe to, as NATS's
/// permissions have them. All else is refused by the hub itself.
///
/// Never among them: subjects whose requests name what they read in their body (`$JS.API.DIRECT.GET.JOBS` without a
/// subject, `$JS.API.STREAM.MSG.GET`), or that list what others have. By these a site would read any other's receipts.
package struct KioskRights: Hashable, Sendable {
    /// Patterns of subjects.
    package var publish: [String]
    /// Patterns of subjects.
    package var subscribe: [String]

    /// The rights of one site.
    package init(of site: SiteName) { self.init(siteToken: site.text) }

    /// The rights of whoever's user name is the site's, as the template of a scoped signing key.
    package static let template = KioskRights(siteToken: "{{name()}}")

    private init(siteToken site: String) {
        publish = [
            // Its jobs: the filter is a part of the subject, and the hub refuses a request with another one.
            "$JS.API.CONSUMER.CREATE.JOBS.*.jobs.\(site).*.*",
            // Of any consumer whose name it knows: names are random, and it can list none.
            "$JS.API.CONSUMER.MSG.NEXT.JOBS.*",
            "$JS.API.DIRECT.GET.DOCS.docs.\(site).>",
            // What it says of them, and has said.
            "reports.\(site).*",
            "$JS.API.CONSUMER.CREATE.REPORTS.*.reports.\(site).*",
            "$JS.API.CONSUMER.MSG.NEXT.REPORTS.*",
            "$JS.API.DIRECT.GET.REPORTS.reports.\(site).*",
            // Its configuration and state: the desired one is the office's to write.
            "$JS.API.DIRECT.GET.KV_DESIRED.$KV.DESIRED.\(site)",
            "$JS.API.DIRECT.GET.KV_REPORTED.$KV.REPORTED.\(site)",
            "$JS.API.DIRECT.GET.KV_LEASE.$KV.LEASE.\(site)",
            "$JS.API.DIRECT.GET.KV_STATUS.$KV.STATUS.\(site).*",
            // Its next token, which the office alone writes.
            "$JS.API.DIRECT.GET.KV_TOKENS.$KV.TOKENS.\(site).*",
            "$KV.REPORTED.\(site)",
            "$KV.LEASE.\(site)",
            "$KV.STATUS.\(site).*",
        ]
        subscribe = ["\(Self.inboxPrefix).\(site).>"]
    }

    /// The first token of the subjects that responses come to.
    private static let inboxPrefix = "_IN"

    /// The prefix of a site's subjects for responses, as `NATSLink.Options.inboxPrefix` wants it.
    package static func inboxPrefix(of site: SiteName) -> String { "\(inboxPrefix).\(site)" }
}
