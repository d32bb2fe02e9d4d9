/// Who decides who comes into a fleet: the operator of its hub, with the keys of the hub's two accounts. It says what
/// it decides in tokens that the hub's servers check; they keep no list of kiosks.
package struct FleetAuthority: Sendable {
    /// What people see of it in the tokens.
    package let name: String
    private let keys: Keys

    /// Its private keys.
    package struct Keys: Sendable {
        /// Signs accounts.
        package let `operator`: NKeyPair
        /// Of the account whose users tell the servers about accounts.
        package let systemAccount: NKeyPair
        /// Of the account of kiosks and offices; signs offices.
        package let account: NKeyPair
        /// Signs kiosks, and can give them no other rights than a kiosk's.
        package let kiosks: NKeyPair

        package init(
            operator: NKeyPair, systemAccount: NKeyPair, account: NKeyPair, kiosks: NKeyPair
        ) {
            (self.operator, self.systemAccount) = (`operator`, systemAccount)
            (self.account, self.kiosks) = (account, kiosks)
        }

        /// Makes all of them.
        package init() throws(FleetError) {
            self.init(
                operator: try NKeyPair(newOf: .operator), systemAccount: try NKeyPair(newOf: .account),
                account: try NKeyPair(newOf: .account), kiosks: try NKeyPair(newOf: .account))
        }
    }

    package init(name: String, keys: Keys) { (self.name, self.keys) = (name, keys) }

    // MARK: Users

    /// Whose rights a user has that is no kiosk.
    package enum Office: Sendable {
        /// All of the fleet's account.
        case admin
        case office
        /// All of the system account: to tell the hub of accounts.
        case system
    }

    /// The credentials of one of them, with a new key. `time` is in seconds since 1970, as all times here.
    package func credentials(of office: Office, at time: Int64) throws(FleetError) -> String {
        var content = UserClaims.Content(subs: -1, data: -1, payload: -1)
        if case .office = office {
            content.pub.allow = OfficeRights.publish
            content.sub.allow = OfficeRights.subscribe
        }
        let (name, issuer) =
            switch office {
            case .admin: ("admin", keys.account)
            case .office: ("office", keys.account)
            case .system: ("system", keys.systemAccount)
            }
        let key = try NKeyPair(newOf: .user)
        let claims = UserClaims(name: name, sub: key.publicKey.text, iat: time, nats: content)
        return try CredentialsFile.text(UserToken(NATSToken.sign(claims, by: issuer)), key)
    }

    /// The token of a kiosk, whose user name is its site's: the account's template makes its rights of that.
    package func admit(
        _ key: NKey, to site: SiteName, at time: Int64, until end: Int64
    ) throws(FleetError) -> UserToken {
        let content = UserClaims.Content(issuer_account: keys.account.publicKey.text)
        let claims = UserClaims(name: site.text, sub: key.text, iat: time, exp: end, nats: content)
        return try UserToken(NATSToken.sign(claims, by: keys.kiosks))
    }

    // MARK: Accounts

    /// The fleet's account. `revocations`: the keys of users whose tokens are valid no more if they were signed at this
    /// time or before.
    package func account(at time: Int64, revocations: [NKey: Int64]) throws(FleetError) -> String {
        let rights = KioskRights.template
        let signingKey = AccountClaims.SigningKey(
            key: keys.kiosks.publicKey.text, role: "kiosk",
            template: .init(pub: .init(allow: rights.publish), sub: .init(allow: rights.subscribe)))
        let revoked = Dictionary(uniqueKeysWithValues: revocations.map { ($0.key.text, $0.value) })
        return try sign(
            keys.account, named: name, at: time,
            AccountClaims.Content(
                limits: .withJetStream, signing_keys: [signingKey], revocations: revoked.isEmpty ? nil : revoked))
    }

    /// The key of the fleet's account.
    package var accountKey: NKey { keys.account.publicKey }

    /// Whether the account as a hub has it gives the kiosks that are admitted here all of their rights. One that was
    /// signed before kiosks had them all does not.
    package func givesKiosksTheirRights(_ account: AccountToken) -> Bool {
        account.gives(KioskRights.template, toSignedBy: keys.kiosks.publicKey)
    }

    /// Whether this operator has signed it.
    package func hasSigned(_ account: AccountToken) -> Bool { account.issuer == keys.operator.publicKey }

    private func sign(
        _ account: NKeyPair, named name: String, at time: Int64, _ content: AccountClaims.Content
    ) throws(FleetError) -> String {
        let claims = AccountClaims(name: name, sub: account.publicKey.text, iat: time, nats: content)
        return try NATSToken.sign(claims, by: keys.operator)
    }

    /// What the configuration of each of the hub's servers includes. It holds no secret. `folder` is where a server
    /// keeps the accounts that it was told of.
    package func hubConfiguration(account: String, folder: String, at time: Int64) throws(FleetError) -> String {
        let (system, fleet) = (keys.systemAccount.publicKey, keys.account.publicKey)
        let itself = OperatorClaims(
            name: name, sub: keys.operator.publicKey.text, iat: time, nats: .init(system_account: system.text))
        let systemAccount = try sign(
            keys.systemAccount, named: "SYS", at: time, AccountClaims.Content(limits: .withoutJetStream))
        return """
            # Who may log in at the hub of the fleet \(name), for the configuration of nats-server:
            # include accounts.conf
            # Written by `kioskctl fleet authority`; changes here are lost.
            operator: \(try NATSToken.sign(itself, by: keys.operator))
            system_account: \(system)
            resolver {
              type: full
              dir: \(Self.quoted(folder))
              allow_delete: false
              interval: "2m"
            }
            resolver_preload {
              \(system): \(systemAccount)
              \(fleet): \(account)
            }

            """
    }

    /// As a string of nats-server's configuration.
    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
