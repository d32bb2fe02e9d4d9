import Foundation
import Glibc

/// A folder of its own, removed with all that is in it when the last reference goes, unless it is kept.
package final class TemporaryFolder: Sendable {
    /// Absolute, without a trailing slash.
    package let path: String
    private let isKept: Bool

    package init(_ prefix: String = "test") throws {
        // It ends in a slash. umockdev takes a path with two of them for one outside of its test bed.
        var template = Array("\(NSTemporaryDirectory())\(prefix)-XXXXXX".utf8CString)
        isKept = false
        guard mkdtemp(&template) != nil else { throw TestSupportError.errno("mkdtemp", errno) }
        path =
            URL(fileURLWithPath: String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)).path
    }

    /// A new folder at a certain place; kept where whoever made the folder above it removes it.
    package init(at path: String, isKept: Bool = false) throws {
        self.isKept = isKept
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        self.path = path
    }

    deinit {
        if !isKept { try? FileManager.default.removeItem(atPath: path) }
    }

    /// The path of an entry in this folder.
    package func appending(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file and returns its path.
    @discardableResult
    package func write(_ content: some Sequence<UInt8>, to name: String) throws -> String {
        try Data(content).write(to: URL(fileURLWithPath: appending(name)))
        return appending(name)
    }

    @discardableResult
    package func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }

    /// Writes a file that its owner alone can read, as secrets must be, and returns its path.
    @discardableResult
    package func writePrivately(_ content: some Sequence<UInt8>, to name: String) throws -> String {
        let path = appending(name)
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(content), attributes: [.posixPermissions: 0o600])
        else {
            throw TestSupportError("\(path) cannot be written")
        }
        return path
    }

    package func read(_ name: String) throws -> [UInt8] { try readFile(appending(name)) }

    /// The names in this folder, sorted.
    package func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}

/// A file's bytes.
package func readFile(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

/// Writes a program that can be run at once.
///
/// Close-on-exec: a process that another test starts just now must not inherit the descriptor, since a program that
/// anyone holds open for writing cannot be run (ETXTBSY).
package func writeProgram(_ text: String, to path: String, mode: UInt32 = 0o755) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw TestSupportError.errno("open", errno) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else { throw TestSupportError.errno("write", errno) }
}
