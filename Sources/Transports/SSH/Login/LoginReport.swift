import CLibSSH2
import PrintModel

/// What came of the attempts to log in, for the error that tells of it.
struct LoginReport {
    /// What the server offers (RFC 4252 §5.2).
    var offered: [String] = []
    /// What each attempt came to, in words.
    private(set) var notes: [String] = []
    /// What of ours could not be used at all.
    var unusable: SSHError?

    mutating func noteUnusable(_ error: SSHError) {
        if unusable == nil { unusable = error }
    }

    /// `code`, `words`: libssh2's.
    mutating func note(
        _ method: LoginOperation.Method, _ code: Int32, words: String, key: LoginMaterial.Key?, isAgentAllRSA: Bool
    ) {
        switch (method, code) {
        case (.key, LIBSSH2_ERROR_AUTHENTICATION_FAILED), (.key, LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED):
            notes.append(key?.isRSA == true && isRSAOld ? Self.noRSA("the key") : "it does not take the key")
        case (.key, _): noteUnusable(Self.unusable(key, code, words))
        case (.password, LIBSSH2_ERROR_PASSWORD_EXPIRED): notes.append("the password has expired")
        case (.password, _): notes.append("it does not take the password")
        case (.agent, _):
            notes.append(
                isAgentAllRSA && isRSAOld ? Self.noRSA("any key of the agent") : "it takes no key of the agent")
        case (.interactive, _): notes.append("its prompts did not take the password")
        }
    }

    private static func unusable(_ key: LoginMaterial.Key?, _ code: Int32, _ words: String) -> SSHError {
        let reason =
            key?.file.isEncrypted == true
            ? "cannot be opened; its passphrase is another, most likely" : "cannot be used"
        return SSHError(
            .credentialsUnusable, operation: "log in",
            reason: "the private key \((key?.path ?? "").withoutControlCharacters) \(reason) (\(words))",
            native: .libSSH2(Int(code)))
    }

    /// libssh2 signs with SHA-1 alone before 1.11, which OpenSSH refuses since 8.8.
    private var isRSAOld: Bool { !PrivateKeyFile.signsRSAWithSHA2 }

    private static func noRSA(_ what: String) -> String {
        "it does not take \(what), which is RSA, and such signatures are refused by most servers today (make another key with"
            + " \"ssh-keygen -t ed25519\")"
    }

    var refusal: SSHError {
        // What is wrong on our side comes first: only there it can be mended.
        if var unusable {
            unusable.offeredMethods = offered
            if !notes.isEmpty { unusable.reason += "; the server refuses the rest: " + notes.joined(separator: ", ") }
            return unusable
        }
        let words = notes.isEmpty ? "it offers nothing that is saved here" : notes.joined(separator: ", ")
        return SSHError(
            .loginRefused, operation: "log in", reason: "the server refuses the login: \(words)",
            offeredMethods: offered)
    }
}
