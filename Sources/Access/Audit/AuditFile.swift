import FoundationEssentials
import Glibc
import KioskDurableFiles
import Synchronization

/// The audit's file and its older parts: `audit.jsonl`, `audit.jsonl.1` (newer) to `audit.jsonl.4` (oldest). One JSON
/// object on each line, with numbers that go up by one. Every call blocks, and comes from one queue.
final class AuditFile: Sendable {
    private let path: String
    private let maximumLength: Int
    private let kept: Int
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var file: Descriptor
        var length: Int
        var lastNumber: UInt64
    }

    /// Bytes after which a new file is begun.
    static let standardLength = 4 << 20
    /// The older files that are kept.
    static let standardKept = 4

    /// Opens the file, and makes it where there is none.
    init(path: String, maximumLength: Int = standardLength, kept: Int = standardKept) throws(AccessError) {
        self.path = path
        self.maximumLength = maximumLength
        self.kept = kept
        do throws(FileError) {
            let file = try Self.open(path)
            let length = Int(clamping: try file.status().st_size)
            state = Mutex(State(file: file, length: length, lastNumber: 0))
            try mendEnd()
        } catch {
            throw AccessError(.storage, error.message)
        }
        let last = try entries(before: nil, limit: 1).first?.number ?? 0
        state.withLock { $0.lastNumber = last }
    }

    /// Appends entries with their numbers, durably.
    func append(_ entries: [AuditEntry]) throws(AccessError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do throws(FileError) {
            try state.withLock { (state) throws(FileError) in
                if state.length > 0, state.length >= maximumLength { try rotate(&state) }
                var bytes: [UInt8] = []
                var number = state.lastNumber
                for var entry in entries {
                    number += 1
                    entry.number = number
                    guard let line = try? encoder.encode(entry) else { continue }
                    bytes += line
                    bytes.append(UInt8(ascii: "\n"))
                }
                // A number is not used twice, also where a line was written in part.
                state.lastNumber = number
                state.length += bytes.count
                try state.file.write(bytes)
                try state.file.sync()
            }
        } catch {
            // What was cut off must not run into the next line.
            try? mendEnd()
            throw AccessError(.storage, error.message)
        }
    }

    /// The newest entries before a number, newest first. Lines that are not entries are passed over: a power cut may
    /// have cut one off.
    func entries(before number: UInt64?, limit: Int) throws(AccessError) -> [AuditEntry] {
        var found: [AuditEntry] = []
        for index in 0...kept where found.count < limit {
            let bytes: [UInt8]
            do throws(FileError) {
                bytes = try AtomicFile.read(name(index), limit: maximumLength + Self.slack)
            } catch {
                if error.isNotFound { continue }
                throw AccessError(.storage, error.message)
            }
            Self.collect(&found, from: bytes, before: number, limit: limit)
        }
        return found
    }

    /// A file may be longer than its limit by what was appended at once.
    private static let slack = 64 << 20

    private static func collect(_ found: inout [AuditEntry], from bytes: [UInt8], before number: UInt64?, limit: Int) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        let decoder = JSONDecoder()
        func entry(_ index: Int) -> AuditEntry? { try? decoder.decode(AuditEntry.self, from: Data(lines[index])) }
        // Numbers go up from line to line, so that the place of a page is found without reading the lines after it.
        var (low, high) = (0, lines.count)
        if let number {
            while low < high {
                let middle = low + (high - low) / 2
                // Of a line that cannot be read the one before it speaks.
                var index = middle
                while index > low, entry(index) == nil { index -= 1 }
                if let entry = entry(index), entry.number < number { low = middle + 1 } else { high = middle }
            }
        } else {
            low = lines.count
        }
        var index = low
        while index > 0, found.count < limit {
            index -= 1
            guard let entry = entry(index), number.map({ entry.number < $0 }) ?? true else { continue }
            found.append(entry)
        }
    }

    private func name(_ index: Int) -> String { index == 0 ? path : "\(path).\(index)" }

    private func rotate(_ state: inout State) throws(FileError) {
        for index in (0..<kept).reversed() {
            guard rename(name(index), name(index + 1)) == 0 || errno == ENOENT else {
                throw FileError(operation: "rename", path: name(index), errno: errno)
            }
        }
        state.file = try Self.open(path)
        state.length = 0
        try Folder.sync(Folder.parent(of: path))
    }

    /// Ends a last line that has no end.
    private func mendEnd() throws(FileError) {
        let length = try state.withLock { (state) throws(FileError) in Int(clamping: try state.file.status().st_size) }
        guard length > 0 else { return }
        let reader = try Descriptor(opening: path, flags: O_RDONLY | O_NOFOLLOW)
        guard lseek(reader.number, off_t(length - 1), SEEK_SET) >= 0,
            try reader.read(upTo: 1) != [UInt8(ascii: "\n")]
        else { return }
        try state.withLock { (state) throws(FileError) in
            try state.file.write([UInt8(ascii: "\n")])
            state.length = length + 1
        }
    }

    private static func open(_ path: String) throws(FileError) -> Descriptor {
        let file = try Descriptor(
            opening: path, flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, permissions: 0o600)
        let status = try file.status()
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(
                operation: "open", path: path, errno: EINVAL,
                message: "cannot write the audit to \(path): it is not a regular file; move it away")
        }
        // The file may come from an earlier umask or hand.
        guard fchmod(file.number, 0o600) == 0 else { throw FileError(operation: "chmod", path: path, errno: errno) }
        return file
    }
}
