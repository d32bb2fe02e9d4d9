import Glibc
import KioskDurableFiles
import KioskPrintModel

/// Whether the fonts are there that receipts and text files are drawn with.
struct FontChecks {
    /// A file of each package of Debian's; its extension depends on the release.
    private static let fonts = [
        ("NotoSans-Regular.", "fonts-noto-core"), ("NotoSansMono-Regular.", "fonts-noto-mono"),
        ("NotoSansCJK-Regular.", "fonts-noto-cjk"), ("Symbola", "fonts-symbola"),
    ]
    private static let folders = ["/usr/share/fonts", "/usr/local/share/fonts"]
    /// Levels of folders: deeper than any package's.
    private static let depth = 4

    func findings() -> [DoctorFinding] {
        let files = Self.folders.flatMap { Self.files(in: $0, depth: Self.depth) }
        let missing = Self.fonts.filter { font in !files.contains { $0.hasPrefix(font.0) } }.map { $0.1 }
        guard !missing.isEmpty else { return [] }
        let packages = missing.joined(separator: " ")
        return [
            .init(
                group: .fonts, code: "fonts-missing", status: .warning, subject: packages,
                message: "fonts are missing, and text in some scripts would be drawn as boxes: \(packages)",
                command: "apt-get install --no-install-recommends -y \(packages)")
        ]
    }

    private static func files(in folder: String, depth: Int) -> [String] {
        guard depth > 0, let names = try? Folder.names(in: folder) else { return [] }
        return names.flatMap { name -> [String] in
            guard let file = FileFacts("\(folder)/\(name)") else { return [] }
            return file.isFolder ? files(in: "\(folder)/\(name)", depth: depth - 1) : [name]
        }
    }
}
