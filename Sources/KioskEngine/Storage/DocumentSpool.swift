import Dispatch
import Glibc
import KioskDigests
import KioskDurableFiles
import Logging
import Synchronization

/// The folder of large documents. Files appear here whole and on disk, or not at all.
struct DocumentSpool: Sendable {
    let folder: String
    let logger: Logger
    /// Files are written and removed here: both block, and neither may block the cooperative pool.
    private let queue = DispatchQueue(label: "documents", attributes: .concurrent)
    /// Bytes that are being written now.
    private let writing = SharedCount()

    init(folder: String, logger: Logger) {
        self.folder = folder
        self.logger = logger
    }

    func path(of name: String) -> String { "\(folder)/\(name)" }

    /// Runs blocking file work off the cooperative pool.
    func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        do {
            return try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result(catching: body)) }
            }
        } catch let error as FileError {
            throw EngineError.storage(error, doing: "store the document")
        }
    }

    /// Runs blocking file work off the caller's thread, without waiting for it.
    func inBackground(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    func create() async throws -> FileWriter {
        let name = String((0..<20).map { _ in "0123456789abcdefghjkmnpqrstvwxyz".randomElement() ?? "0" })
        return try await blocking { try FileWriter(creating: path(of: name)) }
    }

    /// Runs a write of so many bytes. Throws ENOSPC where it would take the last room from the queue, which needs some
    /// to end jobs and to give up old documents. Callers that try again and again would keep the disk full otherwise.
    func withRoom(for length: Int, _ write: () throws -> Void) throws {
        let length = Int64(length)
        try writing.bytes.withLock { writing in
            guard try FileSystemState(of: folder).freeBytes >= writing + length + Self.queueReserve else {
                throw FileError(operation: "write", path: folder, errno: ENOSPC)
            }
            writing += length
        }
        defer { writing.bytes.withLock { $0 -= length } }
        try write()
    }

    /// The free bytes that are left to the queue's database.
    private static let queueReserve: Int64 = 256 * 1024

    /// SHA-256 in hexadecimal; nil where there is no such file.
    func digest(of name: String) async throws -> String? {
        try await blocking {
            guard access(path(of: name), F_OK) == 0 || errno != ENOENT else { return nil }
            let file = try Descriptor(opening: path(of: name), flags: O_RDONLY)
            let digest = try ContentDigest.begin()
            while true {
                let bytes = try file.read(upTo: Self.pieceLength)
                guard !bytes.isEmpty else { return digest.hexadecimal() }
                digest.update(bytes)
            }
        }
    }

    private static let pieceLength = 1 << 20

    /// A document's bytes, piece by piece.
    func read(_ name: String, into detector: RawDocumentDetector) async throws -> RawDocumentDetector {
        try await blocking {
            let file = try Descriptor(opening: path(of: name), flags: O_RDONLY)
            var detector = detector
            while !detector.isRaw {
                let bytes = try file.read(upTo: Self.pieceLength)
                guard !bytes.isEmpty else { break }
                detector.inspect(bytes)
            }
            return detector
        }
    }

    /// All of a document, which must not be longer than `limit` bytes.
    func contents(of name: String, limit: Int) async throws -> [UInt8] {
        try await blocking { try AtomicFile.read(path(of: name), limit: limit) }
    }

    /// Removes a document that no job refers to any more, or that none ever did.
    func remove(_ name: String) {
        queue.async {
            do throws(FileError) {
                try Folder.remove(file: path(of: name))
            } catch {
                logger.error("a document is left behind in the state directory: \(error.message)")
            }
        }
    }

    /// The same; their room is free when it returns.
    func removeNow(_ names: [String]) async throws {
        try await blocking { for name in names { try Folder.remove(file: path(of: name)) } }
    }

    func remove(_ document: ReceivedDocument) {
        if let name = document.fileName { remove(name) }
    }

    /// After the queue was damaged: a document that no recovered job names may belong to one that was lost.
    func setAsideOrphans(of queue: String, keeping names: Set<String>) throws {
        let place = QueueFiles.documentsFolder(beside: queue)
        try Folder.create(place, permissions: 0o700)
        for name in try Folder.names(in: folder) where !names.contains(name) {
            guard rename(path(of: name), "\(place)/\(name)") == 0 else {
                throw FileError(operation: "rename", path: path(of: name), errno: errno)
            }
        }
        try Folder.sync(place)
        try Folder.sync(folder)
    }

    /// Removes what no job refers to: documents that were being received when the process ended.
    func removeOrphans(keeping names: Set<String>) throws {
        for name in try Folder.names(in: folder) where !names.contains(name) { remove(name) }
    }
}

/// A number of bytes that the copies of a value share.
private final class SharedCount: Sendable {
    let bytes = Mutex<Int64>(0)
}
