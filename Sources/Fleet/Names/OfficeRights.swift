/// What an office may do at the hub, as NATS's permissions have it: send jobs to every site, read what they report and
/// how they are, and write their configuration and the audit. It cannot change streams, nor delete what they keep.
package enum OfficeRights {
    /// Patterns of subjects.
    package static let publish: [String] =
        [
            "jobs.*.*.*", "docs.*.*.*", "audit.*", "$KV.DESIRED.*",
            // How the hub is, and its streams.
            "$JS.API.INFO", "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST",
            "$JS.API.CONSUMER.MSG.NEXT.*.*",
        ]
        + readable.flatMap { stream in
            [
                "$JS.API.DIRECT.GET.\(stream)", "$JS.API.DIRECT.GET.\(stream).>", "$JS.API.STREAM.MSG.GET.\(stream)",
                // With a name or without, with its filter behind it or in the body.
                "$JS.API.CONSUMER.CREATE.\(stream)", "$JS.API.CONSUMER.CREATE.\(stream).>",
                "$JS.API.CONSUMER.INFO.\(stream).*", "$JS.API.CONSUMER.DELETE.\(stream).*",
            ]
        }

    /// Patterns of subjects.
    package static let subscribe = ["_INBOX.>"]

    /// All streams but the lease of sites, which is the kiosks' own, and their tokens, which are the authority's.
    private static let readable = [
        HubLayout.jobs, HubLayout.documents, HubLayout.reports, HubLayout.status, HubLayout.audit, "KV_DESIRED",
        "KV_REPORTED",
    ]
}
