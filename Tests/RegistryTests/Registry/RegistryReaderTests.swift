import KioskPrintModel
import Testing

@testable import KioskPrinterRegistry

@Suite struct RegistryReaderTests {
    static let whole = """
        version: 1
        printers:
          - id: till-1
            url: ipp://192.0.2.10/ipp/print
            name: Till 1
            location: Shop floor
            profile: generic-80mm      # optional
            job-types: [receipt, roll] # optional override
            credentials: office        # optional, a name
          - id: till-2
            url: ipps://[fe80::1]:8631/ipp/print
        roles:
          receipt:
            printers: [till-1, till-2]
            job-type: receipt
            defaults: { copies: 1, cut: partial, drawer: true, page-ranges: [1-3, 5], expires-after: 1h }
            unconfirmed: drop
            expires-after: 10m
            page-limit: 20
            mirror: true
            keep: { jobs: 7d, documents: 0, size: 500kB }
          kitchen:
            printers: [till-2]

        """

    @Test func `reads every key`() throws {
        let registry = try Sample.registry(Self.whole)
        let first = registry.printers[0]
        #expect(first.id.rawValue == "till-1")
        #expect(first.name == "Till 1")
        #expect(first.location == "Shop floor")
        #expect(first.profile == "generic-80mm")
        #expect(first.jobTypes == [.receipt, .roll])
        #expect(first.credentials == "office")
        #expect(registry.printers[1].url.description == "ipps://[fe80::1]:8631/ipp/print")
        let role = registry.roles[0]
        #expect(role.printers.map(\.rawValue) == ["till-1", "till-2"])
        #expect(role.jobType == .receipt)
        #expect(role.defaults.copies == 1)
        #expect(role.defaults.cut == .partial)
        #expect(role.defaults.drawer == true)
        #expect(role.defaults.pageRanges?.map(\.description) == ["1-3", "5"])
        #expect(role.defaults.expiresAfter == 3600)
        #expect(role.unconfirmed == .drop)
        #expect(role.expiresAfter == 600)
        #expect(role.pageLimit == 20)
        #expect(role.mirror && !registry.roles[1].mirror)
        #expect(role.keep == Retention(jobs: 604_800, documents: 0, size: 500_000))
        #expect(registry.roles[1].unconfirmed == .reprint)
        #expect(registry.roles[1].jobType == nil)
    }

    @Test(arguments: [
        "", "\n\n", "# nothing yet\n", "---\n", "version: 1\n", "printers:\nroles:\n", "printers: []\nroles: {}\n",
        "~\n",
    ])
    func `an empty file is an empty registry`(text: String) throws {
        #expect(try Sample.registry(text) == Registry())
    }

    @Test(arguments: [
        ("90s", 90), ("10m", 600), ("1h", 3600), ("1d", 86_400), ("600", 600), ("\"10m\"", 600),
    ])
    func `reads times with and without a unit`(text: String, seconds: Int) throws {
        let registry = try Sample.registry("roles: { receipt: { printers: [], expires-after: \(text) } }")
        #expect(registry.roles[0].expiresAfter == seconds)
    }

    @Test func `reads JSON, CRLF and a byte order mark`() throws {
        let json =
            #"{"version": 1, "printers": [{"id": "a", "url": "ipp://h/ipp/print"}], "roles": {"receipt": {"printers": ["a"]}}}"#
        #expect(try Sample.registry(json).printers(of: Sample.role("receipt"))?.count == 1)
        #expect(
            try Sample.registry(Self.whole.split(separator: "\n").joined(separator: "\r\n"))
                == Sample.registry(Self.whole))
        #expect(try Sample.registry("\u{FEFF}" + Self.whole) == Sample.registry(Self.whole))
    }
}
