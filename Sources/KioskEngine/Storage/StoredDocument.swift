/// A document that the engine has taken in and nobody has submitted yet: small ones in memory, large ones as a file
/// that is already on disk. Made by `DocumentIntake`.
public struct StoredDocument: Sendable {
    let body: Body
    /// SHA-256 in hexadecimal of the bytes as they came in.
    let digest: String
    /// Enough of the beginning to tell the format.
    let firstBytes: [UInt8]

    enum Body: Sendable {
        case bytes([UInt8])
        /// The name of a file in the documents folder.
        case file(name: String, length: Int64)
        /// The disk did not take it: its digest may tell of a job that was made before, and nothing else can be done
        /// with it.
        case none(EngineError, length: Int64)
    }

    /// In bytes.
    public var length: Int64 {
        switch body {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, let length), .none(_, let length): length
        }
    }

    var fileName: String? {
        if case .file(let name, _) = body { name } else { nil }
    }

    /// Why there is nothing but the digest.
    var failure: EngineError? {
        if case .none(let error, _) = body { error } else { nil }
    }
}
