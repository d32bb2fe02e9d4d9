package import KioskPrintModel

/// `/roles`: what programs print to, each with its printers in their order, which is changed here.
package struct RolesScreen: Sendable {
    /// A role with the revision that its forms send back.
    package struct Entry: Sendable {
        /// The role.
        package var role: Role
        /// Its revision.
        package var revision: String

        /// Creates an entry.
        package init(role: Role, revision: String) {
            self.role = role
            self.revision = revision
        }
    }

    /// The roles, in the registry's order.
    package var roles: [Entry]
    /// The saved printers and their states.
    package var printers: [PrinterStatus]
    /// The name that was entered for a new role, where it was not taken.
    package var newName: String

    /// Creates the screen.
    package init(roles: [Entry], printers: [PrinterStatus], newName: String = "") {
        self.roles = roles
        self.printers = printers
        self.newName = newName
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        let statuses = Dictionary(printers.map { ($0.printer.id, $0) }) { first, _ in first }
        return PageScreen(
            title: texts("roles.title"),
            content: """
                <p class="soft">\(texts("roles.about"))</p>
                <div id="roles" class="stack" data-live>\(roles.isEmpty ? empty(texts) : roles.html { card($0, statuses, texts) })</div>
                \(addCard(texts))
                """,
            events: ["printer", "registry"])
    }

    private func empty(_ texts: Texts) -> HTML {
        "<div class=\"card empty\"><h2>\(texts("roles.none"))</h2><p>\(texts("roles.none.hint"))</p></div>"
    }

    private func card(_ entry: Entry, _ statuses: [PrinterID: PrinterStatus], _ texts: Texts) -> HTML {
        let role = entry.role
        let order = role.printers.enumerated().html { index, id in
            item(id, at: index, of: entry, statuses[id], texts)
        }
        let say = texts(
            "roles.say",
            ["role": role.name.rawValue, "printers": role.printers.map(\.rawValue).joined(separator: ", ")])
        return """
            <section class="card" id="role-\(role.name)" data-say="\(say)" aria-labelledby="role-title-\(role.name)">
            <div class="head"><h2 id="role-title-\(role.name)">\(role.name)</h2>\
            <a class="button" href="/roles/\(role.name)">\(Icon.edit.html)\(texts("roles.settings"))</a></div>
            <p class="row small">\(summary(role, texts))</p>
            \(role.printers.isEmpty ? "<p class=\"soft\">\(texts("roles.no-printers"))</p>" : "<ol class=\"order\" data-form=\"order-\(role.name)\">\(order)</ol>")
            <form id="order-\(role.name)" method="post" action="/roles/\(role.name)/printers" hidden>\
            \(Field.hidden("revision", entry.revision))\(Field.hidden("order", ""))</form>
            \(addPrinter(to: entry, statuses, texts))
            </section>

            """
    }

    private func summary(_ role: Role, _ texts: Texts) -> HTML {
        let words = [
            role.jobType.map { PrinterFacts.words($0, texts) }, texts.member(role.policy.rawValue, of: "policy"),
            texts("roles.expiry", ["time": Duration.fileText(ofSeconds: role.effectiveExpiry)]),
        ]
        return words.compactMap(\.self).html { "<span class=\"tag\">\($0)</span>" }
    }

    private func item(
        _ id: PrinterID, at index: Int, of entry: Entry, _ status: PrinterStatus?, _ texts: Texts
    ) -> HTML {
        let role = entry.role
        let name = status?.printer.name ?? id.rawValue
        let values = ["printer": name, "role": role.name.rawValue]
        func button(_ action: String, _ icon: Icon, _ label: String, isOff: Bool, isMove: Bool) -> HTML {
            """
            <button class="square" type="submit" name="\(action)" value="\(id)" id="\(action)-\(role.name)-\(id)"\
            \(attribute: "data-move", isMove ? action : nil) aria-label="\(label)" title="\(label)"\(flag: "disabled", isOff)>\(icon.html)</button>
            """
        }
        let misfit = role.jobType.flatMap { type in status?.supports(type) == false ? type : nil }
        return """
            <li draggable="true" id="place-\(role.name)-\(id)" data-id="\(id)"><span class="what">\
            <a href="/printers/\(id)"><bdi>\(name)</bdi></a>\(status?.availability.badge(texts))\
            \(misfit.map { "<span class=\"badge warn\">\(Icon.attention.html)\(texts("roles.misfit", ["type": PrinterFacts.words($0, texts)]))</span>" })</span>\
            <form method="post" action="/roles/\(role.name)/printers" data-quick>\(Field.hidden("revision", entry.revision))\
            \(button("up", .up, texts("roles.up", values), isOff: index == 0, isMove: true))\
            \(button("down", .down, texts("roles.down", values), isOff: index == role.printers.count - 1, isMove: true))\
            \(button("remove", .remove, texts("roles.remove-printer", values), isOff: false, isMove: false))</form></li>

            """
    }

    private func addPrinter(to entry: Entry, _ statuses: [PrinterID: PrinterStatus], _ texts: Texts) -> HTML {
        let role = entry.role
        let others = printers.filter { !role.printers.contains($0.printer.id) }
            // Those that do the role's job type come first, so that the first choice makes sense.
            .sorted { !isUnfit($0, role) && isUnfit($1, role) }
        guard !others.isEmpty else { return .empty }
        return """
            <form method="post" action="/roles/\(role.name)/printers" class="row foot" data-quick>\
            \(Field.hidden("revision", entry.revision))
            <label for="add-\(role.name)">\(texts("roles.add-printer"))</label>
            <span><select id="add-\(role.name)" name="add">\(others.html { option($0, role, texts) })</select></span>
            <button type="submit" id="add-button-\(role.name)">\(Icon.plus.html)\(texts("roles.add"))</button></form>
            """
    }

    private func isUnfit(_ status: PrinterStatus, _ role: Role) -> Bool {
        role.jobType.map { status.supports($0) == false } ?? false
    }

    private func option(_ status: PrinterStatus, _ role: Role, _ texts: Texts) -> HTML {
        let name = status.printer.name ?? status.printer.id.rawValue
        let note = isUnfit(status, role) ? " – " + texts("roles.unfit") : ""
        return "<option value=\"\(status.printer.id)\">\(name)\(note)</option>"
    }

    private func addCard(_ texts: Texts) -> HTML {
        """
        <section class="card new" aria-labelledby="new-role"><h2 id="new-role">\(texts("roles.new"))</h2>
        <form method="post" action="/roles" class="fields">
        \(Field.text("name", texts("roles.name"), newName, hint: texts("roles.name.hint"), required: true, code: true))
        <div class="row"><button type="submit">\(Icon.plus.html)\(texts("roles.create"))</button></div></form></section>
        """
    }
}
