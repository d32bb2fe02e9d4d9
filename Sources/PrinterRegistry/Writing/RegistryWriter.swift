/// Puts a registry into the text of its file, changing nothing that it need not change, and proves the result.
enum RegistryWriter {
    /// The file's new content. `content` is what stands there now, nil where there is no file yet.
    static func write(
        _ new: Registry, over content: [UInt8]?, file: String
    ) throws(RegistryError) -> [UInt8] {
        guard let content else { return Array((header + fresh(new)).utf8) }
        let present = try RegistryReader.read(content, file: file, profiles: new.profiles)
        let text = edited(present, to: new)
        let result = Array(text.utf8)
        // The proof: what stands there now reads back as what was meant.
        guard let written = try? RegistryReader.read(result, file: file, profiles: new.profiles).registry,
            written.printers == new.printers, written.roles == new.roles
        else {
            throw RegistryError(
                .notExpressible,
                message:
                    "\(file) is written in a way that this change does not fit into without rewriting it; make the change in the file by hand"
            )
        }
        return result
    }

    private static func edited(_ present: RegistryReader.Output, to new: Registry) -> String {
        guard let root = present.root, !root.isNull else {
            // Nothing but comments, if anything.
            let text = present.source.text
            let isWhole = present.source.scalars.last.map(SourceText.isBreak) ?? true
            return text + (isWhole ? "" : present.source.lineBreak) + fresh(new, lineBreak: present.source.lineBreak)
        }
        var editor = YAMLEditor(present.source)
        let start = present.source.offset(of: root.position)
        editor.change(
            root, from: present.registry.yaml, to: new.yaml, at: .init(parent: start, isInFlow: false, levels: 3))
        return editor.edits.result
    }

    private static func fresh(_ registry: Registry, lineBreak: String = "\n") -> String {
        let version = YAMLValue.Entry(key: "version", value: .bare("\(RegistryReader.version)"))
        let sections = (registry.yaml.entries ?? []).filter { !$0.value.isEmpty }
        return YAMLValue.map([version] + sections).lines(levels: 3).map { $0 + lineBreak }.joined()
    }

    private static let header = """
        # The printers and roles of this kiosk. Edit it here or with kioskctl: it is read again as soon as it changes,
        # and a mistake leaves the last good version in force. Saving keeps comments; previous versions stand beside
        # this file as printers.yaml.~N~, the highest number is the newest. Passwords do not belong here: name them
        # under credentials.

        """
}
