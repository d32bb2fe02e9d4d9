import Digests

/// A Digest challenge that we can answer (RFC 7616 §3.3; without qop also RFC 2069's form).
struct DigestChallenge: Hashable, Sendable {
    let realm: String
    var nonce: String
    let opaque: String?
    let algorithm: MessageDigest.Algorithm
    /// As it was spelled; nil where the server named none.
    let algorithmName: String?
    /// Whether the key is made for a session (`-sess`).
    let isSession: Bool
    /// Whether `qop=auth` is offered; without any, requests are not counted.
    let hasQOP: Bool
    /// The password was right, the nonce too old.
    var isStale: Bool
    /// Whether the user's name is sent as a digest.
    let hashesUser: Bool

    /// Nil for what is not Digest, or needs what we do not have: another algorithm, `auth-int`.
    init?(_ challenge: AuthenticationChallenge) {
        guard challenge.isScheme("digest"), challenge.isWhole, let realm = challenge.parameters["realm"],
            let nonce = challenge.parameters["nonce"]
        else { return nil }
        self.realm = realm
        self.nonce = nonce
        opaque = challenge.parameters["opaque"]
        algorithmName = challenge.parameters["algorithm"]
        switch algorithmName?.lowercased() {
        case nil, "md5": (algorithm, isSession) = (.md5, false)
        case "md5-sess": (algorithm, isSession) = (.md5, true)
        case "sha-256": (algorithm, isSession) = (.sha256, false)
        case "sha-256-sess": (algorithm, isSession) = (.sha256, true)
        default: return nil
        }
        let options = challenge.parameters["qop"]?.split { $0 == "," || $0 == " " || $0 == "\t" }.map {
            $0.lowercased()
        }
        hasQOP = options?.contains("auth") ?? false
        // §3.4.2: a session's key needs a cnonce, which only goes with qop.
        guard options == nil || hasQOP, hasQOP || !isSession else { return nil }
        isStale = challenge.parameters["stale"]?.lowercased() == "true"
        hashesUser = challenge.parameters["userhash"]?.lowercased() == "true"
    }
}
