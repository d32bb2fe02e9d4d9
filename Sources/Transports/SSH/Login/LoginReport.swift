import CKioskLibSSH2
import KioskPrintModel

/// The results of all login attempts, from which the error is made.
struct LoginReport {
    /// The methods that the server offers (RFC 4252 §5.2).
    var offered: [String] = []
    /// The result of each attempt, for people.
    private(set) var notes: [String] = []
    /// Why some of our credentials could not be used at all.
    var unusable: SSHError?

    mutating func noteUnusable(_ error: SSHError) {
        if unusable == nil { unusable = error }
    }

    /// Notes a failed attempt. `code` and `message` are libssh2's.
    mutating func note(
        _ method: LoginOperation.Method, _ code: Int32, message: String, key: LoadedLogin.Key?, isAgentAllRSA: Bool
    ) {
        switch (method, code) {
        case (.key, LIBSSH2_ERROR_AUTHENTICATION_FAILED), (.key, LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED):
            notes.append(
                key?.isRSA == true && signsRSAWithSHA1 ? Self.refusesRSA("the key") : "it does not accept the key")
        case (.key, _): noteUnusable(Self.unusable(key, code, message))
        case (.password, LIBSSH2_ERROR_PASSWORD_EXPIRED): notes.append("the password has expired")
        case (.password, _): notes.append("it does not accept the password")
        case (.agent, _):
            notes.append(
                isAgentAllRSA && signsRSAWithSHA1
                    ? Self.refusesRSA("any key of the agent") : "it accepts no key of the agent")
        case (.interactive, _): notes.append("its prompts did not accept the password")
        }
    }

    private static func unusable(_ key: LoadedLogin.Key?, _ code: Int32, _ message: String) -> SSHError {
        let reason =
            key?.file.isEncrypted == true
            ? "cannot be opened; most likely the passphrase is wrong" : "cannot be used"
        return SSHError(
            .credentialsUnusable, operation: "log in",
            reason: "the private key \((key?.path ?? "").withoutControlCharacters) \(reason) (\(message))",
            native: .libSSH2(Int(code)))
    }

    /// Before 1.11, libssh2 signs with SHA-1 only, which OpenSSH has refused since 8.8.
    private var signsRSAWithSHA1: Bool { !PrivateKeyFile.signsRSAWithSHA2 }

    private static func refusesRSA(_ what: String) -> String {
        "it does not accept \(what), which is RSA; most servers refuse such signatures today (make another "
            + "key with \"ssh-keygen -t ed25519\")"
    }

    /// The error when no attempt succeeded.
    var refusal: SSHError {
        // A fault of our own credentials comes first: that is what can be corrected here.
        if var unusable {
            unusable.offeredMethods = offered
            if !notes.isEmpty { unusable.reason += "; the server refuses the rest: " + notes.joined(separator: ", ") }
            return unusable
        }
        let results =
            notes.isEmpty ? "it offers no method that credentials are saved for" : notes.joined(separator: ", ")
        return SSHError(
            .loginRefused, operation: "log in", reason: "the server refuses the login: \(results)",
            offeredMethods: offered)
    }
}
