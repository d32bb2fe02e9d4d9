import FoundationEssentials
import KioskDigests

/// A JWT as NATS has them (nats-io/jwt, version 2; ADR-14): signed by an NKey, `alg` `ed25519-nkey`.
package enum NATSToken {
    /// In bytes. A user's has a few hundred; a permission list may make it longer.
    package static let maximumLength = 32 * 1024

    /// Signs claims. Their `iss` and `jti` are set here.
    static func sign(_ claims: some TokenClaims, by signer: NKeyPair) throws(FleetError) -> String {
        var claims = claims
        (claims.iss, claims.jti) = (signer.publicKey.text, "")
        // Any that no other token has; as nats-io/jwt, a digest of the claims without it.
        do {
            let digest = try MessageDigest(.sha256)
            digest.update(try JSONMessage.encode(claims))
            claims.jti = Base32.encode(digest.finish())
        } catch let error as DigestError {
            throw FleetError(.libraryFailed, error.message)
        } catch let error as FleetError {
            throw error
        } catch {
            throw FleetError(.malformed, "a token cannot be written: \(error)")
        }
        let header = try JSONMessage.encode(Header(typ: "JWT", alg: Header.algorithm))
        let text = "\(Base64URL.encode(header)).\(Base64URL.encode(try JSONMessage.encode(claims)))"
        return "\(text).\(Base64URL.encode(try signer.signature(of: Array(text.utf8))))"
    }

    /// What a token says; throws `invalid-key` where it is none, or its signature is not that of the key that it names
    /// as its issuer's. Who that is the caller has to know.
    static func read<Claims: TokenClaims>(
        _ text: some StringProtocol, as _: Claims.Type = Claims.self, limit: Int = maximumLength
    ) throws(FleetError) -> Claims {
        guard text.utf8.count <= limit else { throw noToken("is too long") }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let content = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw noToken("is none") }
        guard let read = try? JSONMessage.decode(header, "token's header") as Header, read.alg == Header.algorithm,
            let claims = try? JSONMessage.decode(content, "token", limit: limit) as Claims,
            claims.nats.type == Claims.type, claims.nats.version == Claims.version
        else { throw noToken("is none of version \(Claims.version) for a NATS \(Claims.type)") }
        // A user's is signed by an account, an account's by an operator.
        let issuer = try NKey(claims.iss, of: Claims.issuer)
        guard try issuer.hasSigned(Array("\(parts[0]).\(parts[1])".utf8), signature) else {
            throw noToken("was changed after it was signed")
        }
        return claims
    }

    private static func noToken(_ why: String) -> FleetError {
        FleetError(.invalidKey, "what should be a NATS JWT \(why); copy it whole")
    }

    private struct Header: Codable {
        var typ: String
        var alg: String

        static let algorithm = "ed25519-nkey"
    }
}

/// Base64 for URLs without padding (RFC 4648 §5).
private enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Nil where the text is none, or not as `encode` writes it.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: standard + padding).map({ Array($0) }), encode(bytes) == text else {
            return nil
        }
        return bytes
    }
}
