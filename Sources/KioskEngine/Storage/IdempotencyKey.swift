import PrintModel

/// A caller's word that a request is one it may have sent before.
struct IdempotencyKey: Hashable, Sendable {
    /// Keys of different callers never meet.
    var caller: String
    var key: String
    /// Over the request and the document; nil of a stored key that has none.
    var contentDigest: String?
    /// When the request came.
    var now: Timestamp

    /// In seconds: for so long after a job's acceptance its key leads to it, and longer while it is not final.
    static let lifetime = 86_400

    /// Keys of final jobs that were accepted at this moment or before may be used anew.
    static func limit(at now: Timestamp) -> Timestamp { now.advanced(bySeconds: -lifetime) }
}
