import KioskPrintModel
import Testing

@testable import KioskPrinterRegistry

/// Every case says which lines of a file an edit changes: all others stay as they are, byte for byte.
@Suite struct RegistryWriterTests {
    static let commented = """
        # The shop in Main Street.
        version: 1   # the only one

        printers:
          # The two tills have static leases.
          - id: till-1
            url: ipp://192.0.2.10/ipp/print   # see the router
            name: 'Till 1'
            # Moved in spring.
            location: "Shop floor"

          - url: ipp://192.0.2.11/ipp/print
            id: till-2

          # - id: till-3
          #   url: ipp://192.0.2.12/ipp/print

        # Who prints what:
        roles:
          receipt:   # with a copy for the kitchen
            printers:
              - till-1
              # only when till-1 is down:
              - till-2
            unconfirmed: reprint
            expires-after: 600   # ten minutes

        """

    struct Edit: Sendable, CustomTestStringConvertible {
        var name: String
        var edit: @Sendable (Registry) throws -> Registry
        var removed: [String]
        var added: [String]
        var testDescription: String { name }
    }

    static let edits: [Edit] = [
        Edit(
            name: "a name, in its own quotes", edit: { try $0.changing("till-1") { $0.name = "Anna's till" } },
            removed: ["    name: 'Till 1'"], added: ["    name: 'Anna''s till'"]),
        Edit(
            name: "a URL, whose comment stays",
            edit: { try $0.changing("till-1") { $0.url = try PrinterURL("ipps://till-1.example") } },
            removed: ["    url: ipp://192.0.2.10/ipp/print   # see the router"],
            added: ["    url: ipps://till-1.example/ipp/print   # see the router"]),
        Edit(
            name: "a location taken away", edit: { try $0.changing("till-1") { $0.location = nil } },
            removed: ["    location: \"Shop floor\""], added: []),
        Edit(
            name: "keys added in their order",
            edit: {
                try $0.changing("till-2") {
                    $0.name = "Till 2"; $0.jobTypes = [.receipt, .roll]
                }
            },
            removed: [], added: ["    name: Till 2", "    job-types: [receipt, roll]"]),
        Edit(
            name: "trust and login added, the pin as it is compared",
            edit: {
                try $0.changing("till-2") {
                    $0.trust = try Trust("sha256:" + String(repeating: "0f", count: 32)); $0.allowsPlainLogin = true
                }
            },
            removed: [],
            added: ["    trust: sha256:" + String(repeating: "0f", count: 32), "    login-without-tls: true"]),
        Edit(
            name: "a printer behind SSH, with the file that knows its host",
            edit: {
                try $0.changing("till-2") {
                    $0.url = try PrinterURL("ssh+lpr://till@host/q");
                    $0.trust = .knownHosts(path: "/etc/kioskd/known hosts")
                }
            },
            removed: ["  - url: ipp://192.0.2.11/ipp/print"],
            added: ["  - url: ssh+lpr://till@host/q", "    trust: known-hosts:/etc/kioskd/known hosts"]),
        Edit(
            name: "a printer added, with a blank line like the others",
            edit: { try $0.saving(Sample.printer("till-9")) },
            removed: [], added: ["  - id: till-9", "    url: ipp://192.0.2.10/ipp/print", ""]),
        Edit(
            name: "a printer removed, from its role too",
            edit: { try $0.removing(Sample.id("till-2"), fromRoles: true) },
            removed: ["  - url: ipp://192.0.2.11/ipp/print", "    id: till-2", "      - till-2"], added: []),
        Edit(
            name: "a role's printers put in another order",
            edit: { try $0.changing(role: "receipt") { $0.printers.reverse() } },
            removed: ["      - till-1"], added: ["      - till-1"]),
        Edit(
            name: "a role's printers all taken out", edit: { try $0.changing(role: "receipt") { $0.printers = [] } },
            removed: ["    printers:", "      - till-1", "      - till-2"], added: ["    printers: []"]),
        Edit(
            name: "a standard that was spelt out stays so",
            edit: { try $0.changing(role: "receipt") { $0.expiresAfter = 1200 } },
            removed: ["    expires-after: 600   # ten minutes"], added: ["    expires-after: 20m   # ten minutes"]),
        Edit(
            name: "a standard that was spelt out is changed",
            edit: { try $0.changing(role: "receipt") { $0.unconfirmed = .hold } },
            removed: ["    unconfirmed: reprint"], added: ["    unconfirmed: hold"]),
        Edit(
            name: "defaults added",
            edit: {
                try $0.changing(role: "receipt") {
                    $0.defaults.copies = 2; $0.defaults.cut = .full
                }
            },
            removed: [], added: ["    defaults: { copies: 2, cut: full }"]),
        Edit(
            name: "a page limit added", edit: { try $0.changing(role: "receipt") { $0.pageLimit = 20 } }, removed: [],
            added: ["    page-limit: 20"]),
        Edit(
            name: "its mirroring added", edit: { try $0.changing(role: "receipt") { $0.mirror = true } }, removed: [],
            added: ["    mirror: true"]),
        Edit(
            name: "what is kept added",
            edit: { try $0.changing(role: "receipt") { $0.keep = Retention(jobs: 86_400, size: 200_000_000) } },
            removed: [], added: ["    keep: { jobs: 1d, size: 200MB }"]),
        Edit(
            name: "a role added",
            edit: {
                try $0.assigning(Role(name: Sample.role("label"), printers: [Sample.id("till-2")], expiresAfter: 90))
            },
            removed: [], added: ["  label:", "    printers: [till-2]", "    expires-after: 90"]),
        Edit(
            name: "a role removed", edit: { try $0.removing(Sample.role("receipt")) },
            removed: [
                "  receipt:   # with a copy for the kitchen", "    printers:", "      - till-1",
                "      # only when till-1 is down:", "      - till-2", "    unconfirmed: reprint",
                "    expires-after: 600   # ten minutes",
            ], added: []),
        Edit(name: "nothing", edit: { $0 }, removed: [], added: []),
    ]

    @Test(arguments: edits, ["\n", "\r\n"])
    func `changes only the lines of what was changed`(edit: Edit, lineBreak: String) throws {
        let text = Self.commented.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: lineBreak)
        let saved = try Sample.saving(text, edit.edit)
        #expect(try Sample.registry(saved) == edit.edit(Sample.registry(text)))
        // Line by line in scalars: in a String CR LF is one character.
        let difference = SourceText(saved).lines.difference(from: SourceText(text).lines)
        #expect(difference.removals.map(\.line) == edit.removed.map { $0 + lineBreak })
        #expect(difference.insertions.map(\.line) == edit.added.map { $0 + lineBreak })
    }

    @Test func `keeps flow style and JSON in their brackets`() throws {
        let flow =
            "{printers: [{id: a, url: ipp://h/ipp/print}, {id: b, url: ipp://i/ipp/print, name: B}], roles: {receipt: {printers: [a, b], copies: 1}}}"
            .split(separator: ", copies: 1").joined()
        func saved(_ edit: (Registry) throws -> Registry) throws -> String { try Sample.saving(flow, edit) }
        #expect(
            try saved { try $0.saving(Sample.printer("c")) }
                == "{printers: [{id: a, url: ipp://h/ipp/print}, {id: b, url: ipp://i/ipp/print, name: B}, { id: c, url: ipp://192.0.2.10/ipp/print }], roles: {receipt: {printers: [a, b]}}}"
        )
        #expect(
            try saved { try $0.removing(Sample.id("a"), fromRoles: true) }
                == "{printers: [{id: b, url: ipp://i/ipp/print, name: B}], roles: {receipt: {printers: [b]}}}")
        #expect(
            try saved { try $0.removing(Sample.id("b"), fromRoles: true) }
                == "{printers: [{id: a, url: ipp://h/ipp/print}], roles: {receipt: {printers: [a]}}}")
        #expect(try saved { try $0.changing("b") { $0.name = nil } }.contains("{id: b, url: ipp://i/ipp/print}"))
        #expect(try saved { try $0.removing(Sample.role("receipt")) }.hasSuffix("roles: {}}"))
    }

    @Test(arguments: [
        "", "\n", "# a comment", "---\n", "version: 1", "version: 1\nprinters:\nroles:\n",
        "version: 1\nprinters: []  # none\nroles: {}\n",
        "printers: ~\n", "{}", "{version: 1}", "roles:\n", "---\nversion: 1\n...\n", "printers: [\n]\nroles: {\n}",
    ])
    func `fills a file that has none yet`(text: String) throws {
        let saved = try Sample.saving(text) {
            try $0.saving(Sample.printer("a")).assigning(Role(name: Sample.role("receipt"), printers: [Sample.id("a")]))
        }
        for line in text.split(separator: "\n") where line.hasPrefix("#") { #expect(saved.contains(line)) }
        let registry = try Sample.registry(saved)
        #expect(registry.printers == [try Sample.printer("a")])
        #expect(registry.roles.count == 1)
    }

    @Test func `writes a new file with a comment that explains it`() throws {
        let content = try RegistryWriter.write(
            Registry(printers: [Sample.printer("a")], roles: []), over: nil, file: "f")
        let text = String(decoding: content, as: UTF8.self)
        #expect(text.hasPrefix("# The printers and roles of this kiosk."))
        #expect(text.hasSuffix("version: 1\nprinters:\n  - id: a\n    url: ipp://192.0.2.10/ipp/print\n"))
    }

    @Test(arguments: [
        "plain", "with: colon", "# hash", "a #b", "- dash", "true", "No", "null", "~", "12", "1.5", "'single'",
        "\"double\"", "back\\slash",
        " leading", "trailing ", "[bracket", "{brace", "comma, comma", "Küche 2. Stock", "日本語", "🧾", "&anchor",
        "*alias", "!tag", "%directive", "@at",
        "`tick", "a\u{A0}b", "ends:", "?", ": ", "---",
    ])
    func `any text reads back as it was`(text: String) throws {
        for file in [
            Self.commented, "printers: [{id: till-1, url: ipp://h/ipp/print, name: x}]",
            "printers:\n- {id: till-1, url: ipp://h/ipp/print, name: \"x\"}",
        ] {
            let saved = try Sample.saving(file) {
                try $0.changing("till-1") {
                    $0.name = text; $0.location = text
                }
            }
            let printer = try Sample.registry(saved).printer(Sample.id("till-1"))
            #expect(printer?.name == text)
            #expect(printer?.location == text)
        }
    }

    @Test(arguments: [
        "printers:\n  - id: a\n    url: ipp://h/ipp/print\n    name: >\n      folded\n      text\n    location: x\n",
        "printers:\n  - id: a\n    name: a name\n      over two lines\n    location: x\n    url: ipp://h/ipp/print\n",
        "printers:\n  -\n    id: a\n    url: ipp://h/ipp/print\n    name: \"quoted # 'x'\n      over lines\"\n    location: x",
        "printers:\n- id: a\n  location: x\n  name: it's\n  url: ipp://h/ipp/print\n",
        "printers:\n  - name: first\n    id: a\n    url: ipp://h/ipp/print\n    location: x\n",
        "\"printers\":\n  - 'id': a\n    \"url\" : ipp://h/ipp/print\n    location: x\n    ? name\n    : asked\n",
    ])
    func `finds the ends of values in every spelling`(text: String) throws {
        #expect(throws: Never.self) {
            for name in [nil, "new"] {
                let saved = try Sample.saving(text.replacingFoldedBreak()) { try $0.changing("a") { $0.name = name } }
                #expect(try Sample.registry(saved).printers[0].location == "x")
            }
            for edit in [
                { (printer: inout SavedPrinter) in printer.location = nil }, { $0.credentials = "c" },
                { $0.location = "y" },
            ] {
                _ = try Sample.saving(text.replacingFoldedBreak()) { try $0.changing("a", edit) }
            }
            _ = try Sample.saving(text.replacingFoldedBreak()) { try $0.removing(Sample.id("a")) }
            _ = try Sample.saving(text.replacingFoldedBreak()) { try $0.saving(Sample.printer("b")) }
        }
    }

    @Test func `refuses rather than rewrites what it cannot put in place`() throws {
        // Another order of printers would move comments that belong to them.
        let error = #expect(throws: RegistryError.self) {
            try Sample.saving(Self.commented) { try Registry(printers: $0.printers.reversed(), roles: $0.roles) }
        }
        #expect(error?.code == .notExpressible)
        #expect(error?.message.contains("printers.yaml") == true)
    }

    @Test func `a file of any spelling is saved as meant or refused, never fatal`() throws {
        let edits: [(Registry) throws -> Registry] = [
            { registry in
                var printer = try #require(registry.printers.first)
                printer.name = printer.name == nil ? "new" : nil
                printer.location = "there"
                printer.jobTypes = .label
                return try registry.saving(printer).saving(Sample.printer("new"))
            },
            { registry in
                var role = try #require(registry.roles.first)
                role.printers.reverse()
                role.defaults.copies = 3
                role.expiresAfter = nil
                return try registry.removing(#require(registry.printers.last?.id), fromRoles: true).assigning(role)
            },
            { _ in Registry() },
        ]
        var (saved, refused) = (0, 0)
        for file in [Self.commented, RegistryReaderTests.whole] {
            let bytes = Array(file.utf8)
            // Every ninth place with every byte: all places take half a minute and find no more.
            for index in stride(from: Int.random(in: 0..<9), to: bytes.count, by: 9) {
                for byte in Array("\n :#'\"[{}],-|?\\a".utf8) {
                    for isInsertion in [true, false] {
                        var changed = bytes
                        changed.replaceSubrange(index..<(isInsertion ? index : index + 1), with: [byte])
                        guard let present = try? RegistryReader.read(changed, file: "f", profiles: nil).registry else {
                            continue
                        }
                        for edit in edits {
                            guard let new = try? edit(present) else { continue }
                            do {
                                _ = try RegistryWriter.write(new, over: changed, file: "f")
                                saved += 1
                            } catch {
                                #expect(error.code == .notExpressible)
                                refused += 1
                            }
                        }
                    }
                }
            }
        }
        // The writer's own check makes a wrong save impossible; a refusal should stay rare.
        #expect(saved > 0 && refused * 50 < saved, "\(saved) saved, \(refused) refused")
    }

    @Test func `a hundred random edits in a row keep every comment and every meaning`() throws {
        var generator = SystemRandomNumberGenerator()
        var text = Self.commented
        for step in 0..<100 {
            let name = "till-\(Int.random(in: 1...6, using: &generator))"
            let roles = ["receipt", "label", "kitchen"]
            let role = roles[Int.random(in: 0..<3, using: &generator)]
            let choice = Int.random(in: 0..<5, using: &generator)
            let edit: (Registry) throws -> Registry = { registry in
                let id = try Sample.id(name)
                switch choice {
                case 0: return registry.printer(id) == nil ? registry : try registry.removing(id, fromRoles: true)
                case 1, 2:
                    var printer = try registry.printer(id) ?? Sample.printer(name)
                    printer.name = Bool.random() ? nil : "Step \(step)"
                    printer.location = Bool.random() ? nil : "# \(step)"
                    printer.jobTypes = Bool.random() ? nil : [.receipt, .label]
                    return try registry.saving(printer)
                case 3:
                    var value = Role(
                        name: try Sample.role(role), printers: registry.printers.map(\.id).shuffled().dropLast(step % 2)
                    )
                    value.defaults.copies = Bool.random() ? nil : step + 1
                    value.expiresAfter = Bool.random() ? nil : step + 1
                    value.keep.documents = Bool.random() ? nil : step
                    value.keep.size = Bool.random() ? nil : Int64(step) * 1000
                    return try registry.assigning(value)
                default:
                    return registry.role(try Sample.role(role)) == nil
                        ? registry : try registry.removing(Sample.role(role))
                }
            }
            let intended = try edit(Sample.registry(text))
            let saved = try Sample.saving(text) { _ in intended }
            #expect(try Sample.registry(saved) == intended, "step \(step) made of:\n\(text)\nthis:\n\(saved)")
            text = saved
        }
        for comment in [
            "# The shop in Main Street.", "# the only one", "# The two tills", "  # - id: till-3", "# Who prints what:",
        ] {
            #expect(text.contains(comment))
        }
    }
}

extension Registry {
    func changing(_ id: String, _ change: (inout SavedPrinter) throws -> Void) throws -> Registry {
        var printer = try #require(self.printer(Sample.id(id)))
        try change(&printer)
        return try saving(printer)
    }

    func changing(role name: String, _ change: (inout Role) throws -> Void) throws -> Registry {
        var role = try #require(self.role(Sample.role(name)))
        try change(&role)
        return try assigning(role)
    }
}

extension SourceText {
    fileprivate var lines: [String] {
        lineStarts.indices.map { self[lineStarts[$0]..<($0 + 1 < lineStarts.count ? lineStarts[$0 + 1] : end)] }
    }
}

extension CollectionDifference<String>.Change {
    fileprivate var line: String {
        switch self {
        case .insert(_, let line, _), .remove(_, let line, _): line
        }
    }
}

extension String {
    /// A folded scalar ends with a line break, which no name may have.
    fileprivate func replacingFoldedBreak() -> String {
        split(separator: ": >\n", maxSplits: 1).joined(separator: ": >-\n")
    }
}
