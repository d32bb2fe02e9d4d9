package import KioskAPIMessages
package import KioskPrintModel

/// `/receipt`: writes a receipt, shows it as the chosen printer prints it, and prints it.
package struct ReceiptScreen: Sendable {
    /// The text so far.
    package var markup: String
    /// Where it is printed: `role:receipt` or `printer:till-1`.
    package var target: String
    /// Roles and printers to choose from.
    package var targets: [FormMarkup.Option]
    /// The printer whose paper the preview shows, by target.
    package var papers: [String: PrinterID]
    /// The preview in characters, without script; nil before it is asked for.
    package var preview: PreviewText?
    /// What is wrong with the receipt.
    package var problems: [Problem.Finding]

    /// Creates the screen.
    package init(
        markup: String, target: String, targets: [FormMarkup.Option], papers: [String: PrinterID],
        preview: PreviewText? = nil, problems: [Problem.Finding] = []
    ) {
        self.markup = markup
        self.target = target
        self.targets = targets
        self.papers = papers
        self.preview = preview
        self.problems = problems
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("receipt.title"),
            content: """
                <form id="receipt" class="two" method="post" action="/receipt" data-failed="\(texts("receipt.failed"))">
                <section class="card"><div class="field"><label for="field-markup">\(texts("receipt.markup"))</label>
                <textarea id="field-markup" name="markup" rows="18" spellcheck="false" autocapitalize="off" aria-describedby="hint-markup">\
                \("\n" as HTML)\(markup)</textarea><p class="hint" id="hint-markup">\(texts("receipt.hint"))</p></div>
                \(targetField(texts))
                <div class="row"><button type="submit" name="do" value="preview" id="show">\(texts("receipt.preview"))</button>
                <button class="main" type="submit" name="do" value="print"\(flag: "disabled", targets.isEmpty)>\(Icon.printer.html)\(texts("receipt.print"))</button></div>
                <nav aria-label="\(texts("receipt.examples"))"><p class="soft small">\(texts("receipt.examples"))</p>
                <p class="row">\(ReceiptExample.all.html {
                    "<a class=\"tag\" href=\"/receipt?example=\($0.name)\">\(texts.member($0.name, of: "receipt.example") ?? $0.name)</a>"
                })</p></nav>
                </section>
                <section class="card" aria-labelledby="shown"><h2 id="shown">\(texts("receipt.shown"))</h2>
                <div id="preview" class="paper">\(preview.map { "<pre tabindex=\"0\" aria-label=\"\(texts("receipt.shown"))\">\($0.text)</pre>" } as HTML?)</div>
                <ul id="findings" class="reasons" aria-live="polite">\((problems + (preview?.remarks ?? [])).html {
                    "<li class=\"reason warn\">\($0.description)</li>"
                })</ul></section>
                </form>
                """, scripts: [PageAssets.receipt])
    }

    private func targetField(_ texts: Texts) -> HTML {
        guard !targets.isEmpty else { return "<p class=\"reason warn\">\(texts("receipt.nowhere"))</p>" }
        return """
            <div class="field"><label for="field-target">\(texts("receipt.target"))</label>
            <select id="field-target" name="target">\(targets.html { option in
                "<option value=\"\(option.value)\"\(attribute: "data-printer", papers[option.value]?.rawValue)\(flag: "selected", option.value == target)>\(option.title)</option>"
            })</select></div>
            """
    }
}

/// A receipt to begin with.
package struct ReceiptExample: Sendable {
    /// Its name in the address, and in the texts.
    package let name: String
    /// Its markup.
    package let markup: String

    /// The example of this name.
    package static func named(_ name: String?) -> ReceiptExample? { all.first { $0.name == name } }

    /// The examples, the usual one first.
    package static let all = [
        ReceiptExample(
            name: "cafe",
            markup: """
                ^^^"Corner Café"
                12 Market Street
                {width:*,3,8; border:line}
                |Item|Qty|Price|
                -
                Flat white | 2| 6.40
                Croissant | 1| 2.10
                -
                TOTAL || ^8.50
                {border:space; width:auto}
                {code:https://cafe.example/r/8842; option:qrcode,5,m}
                Thank you!
                =
                """),
        ReceiptExample(
            name: "ticket",
            markup: """
                ^^"Cloakroom"
                ^^^^^"A 137"
                -
                {code:A137; option:code128,2,72,hri}
                Keep this ticket
                =
                """),
        ReceiptExample(
            name: "kitchen",
            markup: """
                ^^"TABLE 12"
                {width:4,*}
                |^2x|^Soup of the day|
                |^1x|^Omelette|
                || - no onions
                {width:auto}
                =
                """),
    ]
}
