/// Fields of forms, each with its label.
package enum FormMarkup {
    /// An option of a list.
    package struct Option: Hashable, Sendable {
        /// What the form sends.
        package var value: String
        /// What people read.
        package var title: String

        /// Creates an option.
        package init(_ value: String, _ title: String) {
            self.value = value
            self.title = title
        }
    }

    /// A line of text. The id of the input is `field-NAME`.
    static func text(
        _ name: String, _ label: String, value: String?, hint: String? = nil, type: StaticString = "text",
        isRequired: Bool = false, isWide: Bool = false, autocomplete: StaticString = "off"
    ) -> HTML {
        """
        <div class="field\(isWide ? " wide" : "")"><label for="field-\(name)">\(label)</label>
        <input id="field-\(name)" name="\(name)" type="\(HTML(literal: type))"\(attribute: "value", value)\
        \(attribute: "aria-describedby", hint == nil ? nil : "hint-\(name)")\(flag: "required", isRequired) \
        autocomplete="\(HTML(literal: autocomplete))" spellcheck="false">
        \(hint.map { "<p class=\"hint\" id=\"hint-\(name)\">\($0)</p>" } as HTML?)</div>
        """
    }

    /// A list to choose from.
    static func select(
        _ name: String, _ label: String, value: String?, _ options: [Option], hint: String? = nil
    ) -> HTML {
        """
        <div class="field"><label for="field-\(name)">\(label)</label>
        <select id="field-\(name)" name="\(name)"\(attribute: "aria-describedby", hint == nil ? nil : "hint-\(name)")>
        \(options.html {
            "<option value=\"\($0.value)\"\(flag: "selected", $0.value == value ?? "")>\($0.title)</option>"
        })</select>
        \(hint.map { "<p class=\"hint\" id=\"hint-\(name)\">\($0)</p>" } as HTML?)</div>
        """
    }

    /// A box to tick.
    static func tick(_ name: String, _ value: String, _ label: HTML, isOn: Bool) -> HTML {
        "<label class=\"tick\"><input type=\"checkbox\" name=\"\(name)\" value=\"\(value)\"\(flag: "checked", isOn)><span>\(label)</span></label>"
    }

    /// A field that nobody sees.
    static func hidden(_ name: String, _ value: String) -> HTML {
        "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
    }

    /// A form that is one button.
    static func button(
        _ action: String, _ title: String, icon: Icon? = nil, style: StaticString = "", id: String? = nil,
        isQuick: Bool = true, _ fields: [(String, String)] = []
    ) -> HTML {
        """
        <form class="inline" method="post" action="\(action)"\(flag: "data-quick", isQuick)>\
        \(fields.html { hidden($0.0, $0.1) })\
        <button type="submit" class="\(HTML(literal: style))"\(attribute: "id", id)>\(icon?.html)\(title)</button></form>
        """
    }
}

extension HTML {
    /// Markup from source code.
    fileprivate init(literal: StaticString) { self.init(stringLiteral: literal.description) }
}
