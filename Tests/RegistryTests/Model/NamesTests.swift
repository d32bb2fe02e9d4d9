import KioskPrintModel
import Testing

@Suite struct NamesTests {
    @Test(arguments: ["a", "receipt", "till-1", "1", "baggage-tag-2", "a-b-c", String(repeating: "a", count: 63)])
    func `takes kebab-case`(text: String) {
        #expect(RoleName(rawValue: text)?.rawValue == text)
        #expect(PrinterID(rawValue: text)?.description == text)
    }

    @Test(arguments: [
        "", "-", "-a", "a-", "a--b", "A", "till_1", "till 1", "till.1", "a/b", "..", "ä", "а", "a\u{0}", "a\n", "１",
        String(repeating: "a", count: 64),
    ])
    func `refuses anything else`(text: String) {
        #expect(RoleName(rawValue: text) == nil)
        #expect(PrinterID(rawValue: text) == nil)
        #expect(throws: DecodingError.self) { try value(json(text), as: PrinterID.self) }
    }

    @Test func `orders by letters, and is a string in JSON`() throws {
        let names = try ["b", "a-2", "a"].map { try #require(RoleName(rawValue: $0)) }
        #expect(names.sorted().map(\.rawValue) == ["a", "a-2", "b"])
        #expect(try json(names) == "[\"b\",\"a-2\",\"a\"]")
        #expect(try value("\"a\"", as: RoleName.self) == names[2])
    }
}

@Suite struct JobTypesTests {
    @Test func `every keyword is one type, and back`() {
        var all: JobTypes = []
        for (keyword, type) in JobTypes.keywords {
            #expect(JobTypes(keyword: keyword) == type)
            #expect(type.keywords == [keyword])
            #expect(!all.contains(type))
            all.insert(type)
        }
        #expect(
            all.keywords == [
                "general", "document", "photo", "label", "envelope", "postcard", "receipt", "roll", "large-format",
            ])
    }

    @Test func `unknown keywords and bits are not types`() {
        #expect(JobTypes(keyword: "Receipt") == nil)
        #expect(JobTypes(keyword: "") == nil)
        #expect(JobTypes(rawValue: 1 << 15).keywords.isEmpty)
    }

    @Test func `is a list of keywords in JSON`() throws {
        #expect(try json([.roll, .receipt] as JobTypes) == "[\"receipt\",\"roll\"]")
        #expect(try value("[\"roll\",\"receipt\",\"roll\"]", as: JobTypes.self) == [.receipt, .roll])
        #expect(try value("[]", as: JobTypes.self) == [])
        #expect(throws: DecodingError.self) { try value("[\"poster\"]", as: JobTypes.self) }
        #expect(throws: DecodingError.self) { try value("\"roll\"", as: JobTypes.self) }
    }
}
