import PrintModel

/// SSH_FX_… (draft-ietf-secsh-filexfer-02 §7).
struct SFTPStatus: Equatable {
    var code: UInt32
    /// The server's own words: hostile until shown escaped.
    var text: String

    var isGood: Bool { code == 0 }

    var meaning: String {
        let words =
            switch code {
            case 2: "there is no such file or folder"
            case 3: "permission denied"
            case 4: "the server could not do it (a full disk or a quota, as a rule)"
            case 5: "the server found the path invalid"
            case 8: "the server does not support it"
            default: "SFTP status \(code)"
            }
        return text.isEmpty || text == "Failure" ? words : "\(words): \"\(text)\""
    }

    func error(_ operation: String) -> SSHError {
        SSHError(.uploadRefused, operation: operation, reason: meaning, native: .sftpStatus(UInt(code)))
    }
}
