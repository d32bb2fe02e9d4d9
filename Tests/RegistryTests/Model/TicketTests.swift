import KioskPrintModel
import Testing

@Suite struct TicketTests {
    private func ticket(_ change: (inout Ticket) -> Void) -> Ticket {
        var ticket = Ticket()
        change(&ticket)
        return ticket
    }

    @Test func `takes what it leaves open from the defaults, and keeps what it says`() throws {
        let own = ticket {
            $0.copies = 3; $0.drawer = false
        }
        let defaults = try value(
            """
            {"copies": 1, "sides": "one-sided", "media": "iso_a4_210x297mm", "page-ranges": ["1-3", "5"], "number-up": 2,
             "orientation-requested": "landscape", "print-color-mode": "auto", "print-quality": "draft", "cut": "full",
             "drawer": true, "priority": 50, "expires-after": 60, "media-source": "tray-1", "media-type": "labels",
             "output-bin": "face-down", "print-scaling": "fit",
             "multiple-document-handling": "separate-documents-uncollated-copies", "page-border": "double-thick",
             "print-content-optimize": "text-and-graphic", "printer-resolution": 600, "job-account-id": "4711", "job-accounting-user-id": "lea",
             "fidelity": true}
            """, as: Ticket.self)
        let filled = own.filled(from: defaults)
        #expect(filled.copies == 3)
        #expect(filled.drawer == false)
        var expected = defaults
        expected.copies = 3
        expected.drawer = false
        #expect(filled == expected)
        #expect(defaults.filled(from: own) == defaults)
        #expect(Ticket().filled(from: defaults) == defaults)
    }

    @Test func `has IPP's keys in JSON, each exactly once`() throws {
        #expect(
            try json(
                ticket {
                    $0.copies = 2; $0.colorMode = .monochrome
                }) == "{\"copies\":2,\"print-color-mode\":\"monochrome\"}")
        #expect(try json(Ticket()) == "{}")
        #expect(Set(Ticket.keys).count == 23)
        #expect(Ticket.keys.contains("orientation-requested"))
        #expect(throws: DecodingError.self) { try value("{\"sides\": \"both\"}", as: Ticket.self) }
        #expect(throws: DecodingError.self) { try value("{\"page-ranges\": [\"3-1\"]}", as: Ticket.self) }
    }

    @Test func `no JSON that is shown has a PIN, and no defaults give one`() throws {
        let read = try value("{\"job-password\": \"1234\", \"job-password-encryption\": \"none\"}", as: Ticket.self)
        #expect(read.jobPassword?.reveal() == "1234" && read.problems.isEmpty)
        #expect(try json(read) == "{\"job-password-encryption\":\"none\"}")
        #expect(!"\(read)".contains("1234"))
        #expect(try json(RevealedTicket(read)) == "{\"job-password\":\"1234\",\"job-password-encryption\":\"none\"}")
        #expect(Ticket().filled(from: read) == Ticket())
        let opened = try value("{\"document-password\": \"geheim\"}", as: Ticket.self)
        #expect(opened.documentPassword?.reveal() == "geheim" && opened.problems.isEmpty)
        #expect(try json(opened) == "{}")
        #expect(try json(RevealedTicket(opened)) == "{\"document-password\":\"geheim\"}")
        #expect(try json(RevealedTicket(opened.withoutSecrets)) == "{\"document-password\":\"\"}")
        #expect(Set(Ticket.secretKeys) == ["job-password", "job-password-encryption", "document-password"])
        #expect(ticket { $0.jobPasswordEncryption = "none" }.problems.count == 1)
        #expect(ticket { $0.jobPassword = Secret("") }.problems.count == 1)
        #expect(ticket { $0.jobPassword = Secret("1\n2") }.problems.allSatisfy { !$0.contains("1\n2") })
    }

    @Test(arguments: ["", "a b", "é", String(repeating: "a", count: 256)])
    func `refuses what is not a keyword`(text: String) {
        #expect(ticket { $0.mediaSource = text }.problems.count == 1)
        #expect(ticket { $0.mediaType = text }.problems.count == 1)
        #expect(ticket { $0.outputBin = text }.problems.count == 1)
    }

    @Test(arguments: [
        ("copies", 1, 999), ("priority", 1, 100), ("expires-after", 1, 31_536_000), ("printer-resolution", 50, 9600),
    ])
    func `bounds its numbers`(key: String, first: Int, last: Int) throws {
        func problems(_ number: Int) throws -> [String] {
            try value("{\"\(key)\": \(number)}", as: Ticket.self).problems
        }
        for number in [first, last] { #expect(try problems(number).isEmpty) }
        for number in [first - 1, last + 1, .min, .max] {
            #expect(try problems(number) == ["\(key) is \(number); write a number from \(first) to \(last)"])
        }
    }

    @Test func `takes only numbers of pages that have a grid`() {
        let taken = (-2...20).filter { number in ticket { $0.numberUp = number }.problems.isEmpty }
        #expect(taken == [1, 2, 4, 6, 8, 9, 12, 16])
        #expect(ticket { $0.numberUp = 3 }.problems == ["number-up is 3; write 1, 2, 4, 6, 8, 9, 12 or 16"])
    }

    @Test func `every problem begins with its key, for the registry's line and column`() throws {
        let bad = ticket {
            $0.copies = 0
            $0.media = "A 4"
            $0.pageRanges = []
        }
        #expect(bad.problems.count == 3)
        #expect(
            bad.problems.allSatisfy { problem in
                Ticket.keys.contains { problem.hasPrefix("\($0) ") } && problem.contains("; write ")
            })
    }

    @Test(arguments: ["", "a b", "é", "a\n", String(repeating: "a", count: 256)])
    func `refuses what is not a media name`(media: String) {
        #expect(ticket { $0.media = media }.problems.count == 1)
    }

    @Test(arguments: [
        (["1-3", "5"], true), (["1-3", "4"], true), (["1-3", "3"], false), (["5", "1-3"], false), (["1", "1"], false),
    ])
    func `page ranges ascend without overlap`(texts: [String], isGood: Bool) {
        let ranges = texts.compactMap { PageRange($0) }
        #expect(ranges.count == texts.count)
        #expect(ticket { $0.pageRanges = ranges }.problems.isEmpty == isGood)
    }
}

@Suite struct PageRangeTests {
    @Test(arguments: [
        ("5", 5, 5, "5"), ("1-3", 1, 3, "1-3"), ("7-7", 7, 7, "7"), ("1-2147483647", 1, 2_147_483_647, "1-2147483647"),
    ])
    func `reads and writes`(text: String, first: Int, last: Int, written: String) {
        let range = PageRange(text)
        #expect(range?.first == first)
        #expect(range?.last == last)
        #expect(range?.description == written)
    }

    @Test(arguments: [
        "", "-", "0", "3-1", "1-", "-3", "1-2-3", "+1", "1-+3", "1,2", " 1", "1-2147483648", "99999999999999999999",
        "१",
    ])
    func `refuses anything else`(text: String) {
        #expect(PageRange(text) == nil)
    }
}
