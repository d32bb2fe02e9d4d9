import Foundation
import Testing

/// What the documents name.
@Suite struct DocumentationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let folders = ["docs", "Benchmarks", "Fuzz", "Tests"]

    /// The paths of all documents, from the top folder.
    private static func documents() throws -> [String] {
        let top = try FileManager.default.contentsOfDirectory(atPath: root.path)
        let below = folders.flatMap { folder -> [String] in
            let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
            return (files?.compactMap { $0 as? String } ?? []).filter { !$0.hasPrefix(".") && !$0.contains("/.") }.map {
                "\(folder)/\($0)"
            }
        }
        return (top + below).filter { $0.hasSuffix(".md") }.sorted()
    }

    private static func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func exists(_ path: String, seenFrom document: String) -> Bool {
        let folder = root.appendingPathComponent(document).deletingLastPathComponent()
        return FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).standardizedFileURL.path)
    }

    /// The names by which links reach a document's headings, as GitHub makes them.
    private static func anchors(of text: String) -> Set<String> {
        var isCode = false
        var anchors: Set<String> = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, line.hasPrefix("#") else { continue }
            let heading = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
            anchors.insert(
                String(heading.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.map { $0 == " " ? "-" : $0 })
            )
        }
        return anchors
    }

    @Test func `every link of the documents leads somewhere`() throws {
        let documents = try Self.documents()
        #expect(documents.count > 20)
        for document in documents {
            for link in try Self.text(of: document).matches(of: #/\]\(([^)\s]+)\)/#).map(\.1) where !link.contains(":")
            {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let path = String(parts[0])
                #expect(path.isEmpty || Self.exists(path, seenFrom: document), "\(document): \(link)")
                guard parts.count == 2, path.isEmpty || path.hasSuffix(".md") else { continue }
                let folder = (document as NSString).deletingLastPathComponent
                let target = path.isEmpty ? document : (folder as NSString).appendingPathComponent(path)
                #expect(try Self.anchors(of: Self.text(of: target)).contains(String(parts[1])), "\(document): \(link)")
            }
        }
    }

    @Test func `every path that the documents name exists`() throws {
        for document in try Self.documents() {
            let paths = try Self.text(of: document).matches(
                of: #/`((?:Sources|Tests|docs|Scripts|Benchmarks|Fuzz|Packaging|profiles|Examples)/[\w.\/+\-]*)/#)
            // NAME stands for any.
            for path in paths.map(\.1) where !path.contains("NAME") {
                #expect(
                    Self.exists(String(path), seenFrom: "README.md") || Self.exists(String(path), seenFrom: document),
                    "\(document): \(path)")
            }
        }
    }
}
