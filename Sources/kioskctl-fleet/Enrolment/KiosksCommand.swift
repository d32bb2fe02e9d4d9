import ArgumentParser
import KioskFleet
import KioskTerminal

/// `kioskctl fleet kiosks`: who was admitted.
struct KiosksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kiosks",
        abstract: "Show which kiosks were admitted, until when, and which are revoked.",
        discussion: """
            Reads the authority's folder, and asks no hub. `kioskctl fleet health` shows how they are.

            EXAMPLES
              kioskctl fleet kiosks --dir fleet-authority
              kioskctl fleet kiosks --dir fleet-authority --json
            """
    )

    @OptionGroup var authority: AuthorityOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let kiosks = try authority.folder.kiosks().sorted {
            ($0.site ?? "", $0.node ?? "", $0.publicKey) < ($1.site ?? "", $1.node ?? "", $1.publicKey)
        }
        let now = TokenTime.now
        guard !output.json else { return try Console.write(json: Listing(kiosks: kiosks.map { .init($0, at: now) })) }
        guard !kiosks.isEmpty else {
            return Console.writeMessage("no kiosk was admitted; `kioskctl fleet admit` does it")
        }
        Console.write(Self.table(kiosks, at: now))
    }

    static func table(_ kiosks: [AuthorityRecord.Kiosk], at time: Int64, _ style: Style = .current) -> String {
        var table = Table([
            .init(heading: "SITE"), .init(heading: "KIOSK"), .init(heading: "STATE"), .init(heading: "UNTIL"),
            .init(heading: "PUBLIC KEY"),
        ])
        for kiosk in kiosks {
            let state = kiosk.state(at: time)
            let color: Style.Color =
                switch state {
                case .admitted: .green
                case .expired: .yellow
                case .revoked: .red
                }
            table.add([
                .init(kiosk.site), .init(kiosk.node), .init(state.rawValue, color),
                .init((kiosk.revokedAt ?? kiosk.expiresAt).map { TokenTime.text($0) }), .init(kiosk.publicKey),
            ])
        }
        return table.text(style)
    }

    private struct Listing: Encodable {
        var kiosks: [Kiosk]

        /// Times are in seconds since 1970.
        struct Kiosk: Encodable {
            var publicKey: String
            var site: String?
            var node: String?
            var state: AuthorityRecord.Kiosk.State
            var admittedAt: Int64?
            var expiresAt: Int64?
            var revokedAt: Int64?

            init(_ kiosk: AuthorityRecord.Kiosk, at time: Int64) {
                (publicKey, site, node, state) = (kiosk.publicKey, kiosk.site, kiosk.node, kiosk.state(at: time))
                (admittedAt, expiresAt, revokedAt) = (kiosk.admittedAt, kiosk.expiresAt, kiosk.revokedAt)
            }
        }
    }
}
