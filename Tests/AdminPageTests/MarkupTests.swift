import KioskAdminPage
import KioskPrintModel
import Testing

/// Markup, forms and the difference of texts.
@Suite struct MarkupTests {
    @Test(arguments: [
        ("a & b", "a &amp; b"), ("<b>", "&lt;b&gt;"), ("\"'", "&quot;&#39;"), ("Grüße 🧾 日本", "Grüße 🧾 日本"),
        ("a\u{0}b\u{7F}c\u{9B}", "a\u{FFFD}b\u{FFFD}c\u{FFFD}"), ("\u{202E}x\u{2066}", "\u{FFFD}x\u{FFFD}"),
        ("\u{61C}x\u{200E}\u{200F}", "\u{FFFD}x\u{FFFD}\u{FFFD}"),
        ("line\nline\t", "line\nline\t"), ("\r", "\u{FFFD}"), ("", ""),
    ])
    func `text is escaped where it is put into markup`(_ text: String, _ escaped: String) {
        let html: HTML = "<p title=\"\(text)\">\(text)</p>"
        #expect(html.text == "<p title=\"\(escaped)\">\(escaped)</p>")
        #expect(HTML(escaping: text).text == escaped)
    }

    @Test func `attributes are there only where they have a value`() {
        let html: HTML = "<i\(flag: "a", true)\(flag: "b", false)\(attribute: "c", "\"")\(attribute: "d", nil)>\(3)</i>"
        #expect(html.text == "<i a c=\"&quot;\">3</i>")
    }

    @Test func `a form is read as browsers send it`() throws {
        let fields = try #require(FormFields("name=Till+1%21&x=&job-types=a&job-types=b&tick=true&n=a%0D%0Ab".utf8))
        #expect(fields["name"] == "Till 1!")
        #expect(fields["x"] == "" && fields.text("x") == nil && fields["y"] == nil)
        #expect(fields.all("job-types") == ["a", "b"])
        #expect(fields.isTicked("tick") && !fields.isTicked("tock"))
        #expect(fields["n"] == "a\nb")
        #expect(FormFields("a=%20%20b%20".utf8)?.text("a") == "b")
    }

    @Test(arguments: ["a=%zz", "a=%ff", "%=1", "a=%"])
    func `a form that is not well-formed is refused`(_ body: String) {
        #expect(FormFields(body.utf8) == nil)
    }

    @Test func `a form has bounds`() {
        #expect(FormFields(String(repeating: "a=b&", count: FormFields.maximumCount).utf8) != nil)
        #expect(FormFields(String(repeating: "a=b&", count: FormFields.maximumCount + 1).utf8) == nil)
        #expect(FormFields(String(repeating: "a", count: FormFields.maximumLength + 1).utf8) == nil)
    }

    @Test(arguments: [
        ("up=b", ["b", "a", "c"]), ("up=a", ["a", "b", "c"]), ("down=b", ["a", "c", "b"]), ("down=c", ["a", "b", "c"]),
        ("remove=a", ["b", "c"]), ("add=d", ["a", "b", "c", "d"]), ("add=a", ["a", "b", "c"]),
        ("order=c+a+b", ["c", "a", "b"]), ("order=c+a", ["a", "b", "c"]), ("order=c+a+a", ["a", "b", "c"]),
        ("up=nobody", ["a", "b", "c"]), ("up=%3Cb%3E", ["a", "b", "c"]), ("", ["a", "b", "c"]),
    ])
    func `the order of a role's printers is changed by a form`(_ form: String, _ order: [String]) throws {
        let fields = try #require(FormFields(form.utf8))
        #expect(PrinterOrder(["a", "b", "c"]).changed(by: fields).map(\.rawValue) == order)
    }

    @Test func `a printer's form gives back the printer that it shows`() throws {
        let printer = SavedPrinter(
            id: "till-1", url: try PrinterURL("ipps://192.0.2.1/ipp/print"), name: "Till <1>", location: "Door",
            profile: "epson", jobTypes: [.receipt, .label], credentials: "office", trust: .ask, allowsPlainLogin: true)
        #expect(try PrinterForm(printer).printer(id: "till-1") == printer)
        var form = PrinterForm(printer)
        form.url = "nonsense"
        form.trust = "perhaps"
        do {
            _ = try form.printer(id: "till-1")
            Issue.record("it was taken")
        } catch {
            #expect(Set(error.messages.keys) == ["url", "trust"])
        }
    }

    @Test func `a role's form changes what it shows and keeps the rest`() throws {
        var role = Role(name: "receipt", printers: ["till-1"], expiresAfter: 600, pageLimit: 5)
        role.defaults.copies = 2
        role.defaults.cut = .full
        #expect(try RoleForm(role).applied(to: role) == role)
        var form = RoleForm(role)
        form.expiresAfter = "1 H"
        form.cut = ""
        let changed = try form.applied(to: role)
        #expect(changed.expiresAfter == 3600 && changed.defaults.cut == nil && changed.defaults.copies == 2)
        #expect(!changed.mirror)
        form.mirror = "true"
        #expect(try form.applied(to: role).mirror)
        form.pageLimit = "many"
        form.keepJobs = "soon"
        do {
            _ = try form.applied(to: role)
            Issue.record("it was taken")
        } catch {
            #expect(error.fields == ["page-limit", "keep-jobs"])
        }
    }

    @Test func `a difference shows what was added and removed, with what stands around it`() {
        let old = (1...20).map { "line \($0)" }.joined(separator: "\n")
        let diff = LineDiff(from: old, to: old.replacing("line 10\n", with: "line ten\nline ten and a half\n"))
        #expect(diff.added == 2 && diff.removed == 1)
        #expect(
            diff.lines.map(\.text) == [
                "⋯", "line 8", "line 9", "line 10", "line ten", "line ten and a half", "line 11", "line 12", "⋯",
            ])
        #expect(LineDiff(from: "a\n", to: "a\n").lines.count { $0.kind != .skipped } == 0)
        #expect(LineDiff(from: "", to: "a\n").added == 1)
        #expect(LineDiff(from: "a", to: "").removed == 1)
    }

    @Test func `the page's files stay small`() {
        #expect(PageAssets.all.reduce(0) { $0 + $1.bytes.count } < 100_000)
        #expect(PageAssets.all.filter { $0.name.hasSuffix(".js") }.reduce(0) { $0 + $1.bytes.count } < 30_000)
        #expect(PageAssets.asset(named: "../page.css") == nil)
        let icons = String(decoding: PageAssets.icons.bytes, as: UTF8.self)
        for icon in Icon.allCases { #expect(icons.contains("id=\"\(icon.rawValue)\""), "\(icon)") }
    }
}
