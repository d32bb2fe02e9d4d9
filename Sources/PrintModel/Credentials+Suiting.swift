extension Credentials {
    /// Throws where these credentials cannot log in at a printer's URL, whatever its password: what is missing or
    /// contradicts it, and what to do. `name`: of the credentials, for the message.
    public func check(named name: String, for url: PrinterURL) throws(CredentialError) {
        guard url.scheme == .sshLpr else {
            guard url.scheme == .usb || clientCertificate != nil || user != nil && password != nil else {
                throw CredentialError(
                    "the credentials \"\(name)\" hold no user with a password and no client certificate, which \(url.scheme) logs in with; add them to the secrets file"
                )
            }
            return
        }
        guard privateKey != nil || agent != nil || password != nil else {
            throw CredentialError(
                "the credentials \"\(name)\" hold no private key, agent or password, which \(url.scheme) logs in with; add one to the secrets file"
            )
        }
        if let user, let wanted = url.user, user != wanted {
            throw CredentialError(
                "the credentials \"\(name)\" are of another user than the one in \(url); take the user out of the secrets file, or correct one of both"
            )
        }
    }
}
