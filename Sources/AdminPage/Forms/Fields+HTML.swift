/// The parts that forms are made of. Each input has its label, its hint, and what is wrong with its value.
package enum Field {
    /// A line of text.
    package static func text(
        _ name: String, _ label: String, _ value: String, hint: String? = nil, wrong: String? = nil,
        required: Bool = false, isWide: Bool = false, code: Bool = false
    ) -> HTML {
        field(name, label, hint: hint, wrong: wrong, isWide: isWide) { described in
            "<input id=\"field-\(name)\" name=\"\(name)\" value=\"\(value)\"\(attribute: "class", code ? "code" : nil)\(attribute: "spellcheck", code ? "false" : nil) autocomplete=\"off\"\(described)\(flag: "required", required)>"
        }
    }

    /// A choice of one of several values.
    package static func select(
        _ name: String, _ label: String, _ value: String, options: [(value: String, label: String)],
        hint: String? = nil, wrong: String? = nil
    ) -> HTML {
        field(name, label, hint: hint, wrong: wrong, isWide: false) { described in
            """
            <select id="field-\(name)" name="\(name)"\(described)>\
            \(options.html { "<option value=\"\($0.value)\"\(flag: "selected", $0.value == value)>\($0.label)</option>" })\
            </select>
            """
        }
    }

    /// A box to tick.
    package static func tick(_ name: String, _ label: String, value: String = "true", isOn: Bool) -> HTML {
        "<label class=\"tick\"><input type=\"checkbox\" name=\"\(name)\" value=\"\(value)\"\(flag: "checked", isOn)><span>\(label)</span></label>\n"
    }

    /// A value that the form carries along.
    package static func hidden(_ name: String, _ value: String) -> HTML {
        "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
    }

    private static func field(
        _ name: String, _ label: String, hint: String?, wrong: String?, isWide: Bool, _ input: (HTML) -> HTML
    ) -> HTML {
        let notes = [wrong.map { _ in "wrong-\(name)" }, hint.map { _ in "hint-\(name)" }].compactMap(\.self)
        let described: HTML =
            "\(attribute: "aria-describedby", notes.joined(separator: " ").nonempty)\(attribute: "aria-invalid", wrong.map { _ in "true" })"
        return """
            <div class="field\(isWide ? " wide" : "")"><label for="field-\(name)">\(label)</label>
            \(input(described))
            \(wrong.map { "<p class=\"wrong\" id=\"wrong-\(name)\">\($0)</p>" })\
            \(hint.map { "<p class=\"hint\" id=\"hint-\(name)\">\($0)</p>" })</div>

            """
    }
}
