import KioskAPIMessages
import KioskAdminPage
import KioskPrintModel
import Testing

/// All screens, in all languages, with hostile names: well-formed, without anything that a browser would run, and
/// usable without sight.
@Suite struct ScreenTests {
    private let hostileAsText = HTML(escaping: hostileText).text
    /// As a keyword, which is cut.
    private let hostileBeginning = HTML(escaping: String(hostileText.prefix(utf8Count: 80))).text

    private static func documents() throws -> [(name: String, reader: MarkupReader, document: String)] {
        try Languages.all.flatMap { texts in
            try Samples.screens(texts).map { name, screen in
                let frame = PageFrame(
                    texts: texts, section: .printers, user: hostileText, host: hostileText,
                    notice: PageNotice(.problem, hostileText, detail: hostileText))
                let document = frame.document(screen).text
                do {
                    return ("\(name) (\(texts.language))", try MarkupReader(document), document)
                } catch {
                    throw MarkupReader.Malformed(description: "\(name): \(error)")
                }
            }
        }
    }

    @Test func `all tags are closed in their order, and hostile text is text`() throws {
        for (name, reader, document) in try Self.documents() {
            let scripts = reader.elements.filter { $0.name == "script" }
            #expect(scripts.allSatisfy { $0.attributes["src"]?.hasPrefix("/assets/") == true }, "\(name)")
            #expect(!reader.elements.contains { $0.name == "img" || $0.name == "textarea" }, "\(name)")
            #expect(!document.contains("<script>"), "\(name)")
            // Markup that was taken for text.
            let shown = reader.text.replacing(hostileAsText, with: "").replacing(hostileBeginning, with: "")
            #expect(!shown.contains("&lt;") && !shown.contains("HTML("), "\(name)")
            #expect(!document.unicodeScalars.contains("\u{202E}"), "\(name)")
            #expect(!document.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "\(name)")
        }
    }

    @Test func `nothing needs what the content security policy forbids`() throws {
        for (name, reader, _) in try Self.documents() {
            for element in reader.elements {
                #expect(element.name != "style", "\(name)")
                let names = element.attributes.keys
                #expect(!names.contains { $0.hasPrefix("on") || $0 == "style" }, "\(name): \(element)")
                for link in ["href", "src", "action"].compactMap({ element.attributes[$0] }) {
                    #expect(link.hasPrefix("/") && !link.hasPrefix("//") || link.hasPrefix("#"), "\(name): \(link)")
                }
            }
        }
    }

    @Test func `every field has a label, every button words, and every id stands once`() throws {
        for (name, reader, document) in try Self.documents() {
            let labelled = Set(reader.elements.filter { $0.name == "label" }.compactMap { $0.attributes["for"] })
            for element in reader.elements where ["input", "select", "textarea"].contains(element.name) {
                guard element.attributes["type"] != "hidden" else { continue }
                let isInLabel = element.path.contains("label")
                #expect(isInLabel || labelled.contains(element.attributes["id"] ?? "?"), "\(name): \(element)")
            }
            let ids = reader.elements.compactMap { $0.attributes["id"] }
            #expect(ids.count == Set(ids).count, "\(name): \(ids.sorted())")
            for reference in reader.elements.compactMap({ $0.attributes["aria-labelledby"] }) {
                #expect(ids.contains(reference), "\(name): \(reference)")
            }
            for references in reader.elements.compactMap({ $0.attributes["aria-describedby"] }) {
                #expect(references.split(separator: " ").allSatisfy { ids.contains(String($0)) }, "\(name)")
            }
            #expect(reader.elements.count { $0.name == "h1" } == 1, "\(name)")
            #expect(reader.elements.count { $0.name == "main" } == 1, "\(name)")
            #expect(document.contains("<html lang=\""), "\(name)")
            let live = reader.elements.filter { $0.attributes["data-live"] != nil }
            #expect(live.allSatisfy { $0.attributes["id"] != nil }, "\(name)")
        }
    }

    @Test func `a change is made by POST alone, and says which revision it is made for`() throws {
        for (name, reader, _) in try Self.documents() {
            for form in reader.elements where form.name == "form" {
                #expect(form.attributes["method"] == "post", "\(name)")
            }
        }
        let printer = try Samples.screens(Languages.english).first { $0.name == "printer" }
        #expect(try #require(printer).screen.content.text.contains("name=\"revision\" value=\"r1\""))
    }

    @Test func `a printer that has stopped says why and what to do`() throws {
        let status = try Samples.status(
            "till-1", Availability(.stopped, reasons: [StateReason(keyword: "media-empty", severity: .error)]))
        let english = PrintersScreen(printers: [status]).screen(Languages.english).content.text
        #expect(english.contains("Paper is empty") && english.contains("Load paper"))
        let german = PrintersScreen(printers: [status]).screen(Languages.german).content.text
        #expect(german.contains("Papier ist leer") && german.contains("Papier einlegen"))
    }

    @Test func `what somebody else has saved is shown beside what was entered`() throws {
        let status = try Samples.status("till-1", Availability(.ready))
        var entered = PrinterForm(status.printer)
        entered.name = "mine"
        var other = status.printer
        other.name = "theirs"
        let screen = PrinterScreen(status: status, revision: "r2", profiles: [], form: entered, changedTo: other)
        let text = screen.screen(Languages.english).content.text
        #expect(text.contains("value=\"mine\"") && text.contains("Saved now: theirs"))
    }

    @Test(arguments: [true, false])
    func `the navigation leads to the fleet where the kiosk belongs to one`(isInFleet: Bool) throws {
        let frame = PageFrame(texts: Languages.english, section: .printers, user: "anna", isInFleet: isInFleet)
        let reader = try MarkupReader(frame.document(PrintersScreen(printers: []).screen(Languages.english)).text)
        let links = reader.elements.filter { $0.name == "a" && $0.path.contains("nav") }
            .compactMap { $0.attributes["href"] }
        #expect(links.contains("/fleet") == isInFleet && links.contains("/health"))
    }

    private func fleetPage(_ change: (inout FleetInformation) -> Void) -> String {
        FleetScreen(fleet: Samples.fleet(change)).screen(Languages.english).content.text
    }

    @Test func `the fleet's jobs lead to the kiosk's own, where it has made one`() {
        let page = fleetPage { _ in }
        #expect(page.contains("<a href=\"/jobs/17\">Job 17</a>") && page.contains("<a href=\"/jobs/20\">"))
        #expect(!page.contains("/jobs/21"))
        #expect(!page.contains("Revision in force") && page.contains("at this site alone"))
        #expect(FleetScreen(fleet: Samples.fleet()).screen(Languages.english).refreshSeconds != nil)
    }

    @Test(
        arguments: [
            (.init(holder: "kiosk-1", takesJobs: true), "This kiosk takes the site"),
            (.init(holder: "kiosk-2", takesJobs: false), "<bdi>kiosk-2</bdi> takes the site"),
            // Left over from before it was started.
            (.init(holder: "kiosk-1", takesJobs: false), "It is not known"),
            (.init(holder: nil, takesJobs: false), "It is not known"),
        ] as [(FleetInformation.Pair, String)])
    func `of a pair the page says which one takes the jobs`(pair: FleetInformation.Pair, words: String) {
        #expect(fleetPage { $0.pair = pair }.contains(words))
        #expect(!fleetPage { $0.pair = nil }.contains(words))
    }

    @Test func `a configuration that was refused is shown with its place`() {
        let page = fleetPage {
            $0.configuration = .init(
                mode: "managed", desired: 18, applied: 12, error: .init(line: 3, column: 19, text: "no key nmae"))
        }
        #expect(page.contains("Revision 18 is not in force") && page.contains("Line 3, column 19"))
        #expect(page.contains("no key nmae") && page.contains("A change here is refused"))
    }
}
