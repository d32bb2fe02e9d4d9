import Foundation
import KioskPrintModel
import Testing

@testable import KioskPrinterRegistry

/// Where the numbers of code pages in the profiles that ship come from: a wrong one prints wrong characters.
/// `Tests/Golden/profiles/code-page-sources.json` has what lists and manuals say.
@Suite struct ProfileCodePageTests {
    private static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()

    private struct Sources: Decodable {
        /// The pages by their numbers, of each printer in each source.
        var lists: [String: [String: [String: String]]]
        /// The sources of a profile's own list of pages, and the printers in them.
        var profiles: [String: [String: [String]]]
        /// The profiles whose maker's manual is one of them.
        var manuals: [String: String]

        static func read() throws -> Sources {
            let file = URL(fileURLWithPath: root).appending(path: "Tests/Golden/profiles/code-page-sources.json")
            return try JSONDecoder().decode(Sources.self, from: Data(contentsOf: file))
        }

        /// Why a page may not be used at a number; nil where two sources agree or the maker's manual says so, and none
        /// says otherwise.
        func objection(to page: CodePage, at number: UInt8, in profile: String) -> String? {
            guard let named = profiles[profile] else { return "no sources are noted" }
            var agreeing = 0
            for (list, printers) in named {
                let pages = printers.map { lists[list]?[$0]?[String(number)] }
                if let other = pages.compactMap(\.self).first(where: { $0 != page.rawValue }) {
                    return "\(list) says \(other)"
                }
                guard pages.allSatisfy({ $0 == page.rawValue }) else { continue }
                if manuals[profile] == list { return nil }
                agreeing += 1
            }
            return agreeing >= 2 ? nil : "\(agreeing) of \(named.count) sources say so"
        }
    }

    private static func library() throws -> ProfileLibrary { try ProfileLibrary.load(root + "/profiles") }

    @Test func `two sources agree on each code page, or the maker's manual says so`() throws {
        let (library, sources) = (try Self.library(), try Sources.read())
        var checked = 0
        for profile in library.profiles {
            guard let printing = profile.printing, !printing.codePages.isEmpty else { continue }
            let parent = profile.inherits.flatMap { library.profile(named: $0)?.printing?.codePages }
            guard printing.codePages != parent else { continue }
            for (page, number) in printing.codePages {
                let objection = sources.objection(to: page, at: number, in: profile.name)
                #expect(objection == nil, "\(profile.name): \(page.rawValue) at \(number): \(objection ?? "")")
                checked += 1
            }
            for source in sources.profiles[profile.name]?.keys.map(\.self) ?? [] {
                #expect(printing.sources.contains(source), "\(profile.name) does not name \(source)")
            }
        }
        #expect(checked > 250)
    }

    @Test func `a page that rests on one list is none`() throws {
        let sources = try Sources.read()
        // One list has Windows-1251 there, against all others.
        #expect(sources.objection(to: .windows1251, at: 6, in: "epson-tm-t88iii") == "1 of 2 sources say so")
        // Two lists differ on it.
        #expect(sources.objection(to: .cp852, at: 18, in: "epson-tm-t88iii")?.hasSuffix("says cp862") == true)
        #expect(sources.objection(to: .cp866, at: 17, in: "epson-tm-t88iii") == nil)
        #expect(sources.objection(to: .cp866, at: 17, in: "unheard-of") == "no sources are noted")
        let printing = try #require(try Self.library().profile(named: "epson-tm-t88iii")?.printing)
        #expect(printing.codePages[.windows1251] == nil && printing.codePages[.cp866] == 17)
    }

    @Test func `printers that differ from their kind have profiles of their own`() throws {
        let library = try Self.library()
        func printing(_ name: String) throws -> PrintingSettings {
            try #require(library.profile(named: name)?.printing)
        }
        #expect(try printing("metapace-t1").dots == 504)
        #expect(try printing("epson-tm-p80").cuts == [.partial])
        #expect(try printing("epson-tm-p20").cuts.isEmpty)
        for (name, dots, dpi) in [("epson-tm-south-asia", 512, 180), ("epson-tm-t70-south-asia", 576, 203)] {
            let printing = try printing(name)
            #expect(printing.codePages == [.cp437: 0])
            #expect((printing.dots, printing.dpi) == (dots, dpi))
        }
        for (identity, name) in [
            ("EPSON TM-P80II", "epson-tm-p80"), ("EPSON TM-T88IV-SA", "epson-tm-south-asia"),
            ("EPSON TM-T70-SA", "epson-tm-t70-south-asia"), ("EPSON TM-T88IV", "epson-tm-180dpi-classic"),
        ] {
            #expect(library.printing(for: PrinterIdentity(makeAndModel: identity))?.profile.name == name)
        }
    }
}
