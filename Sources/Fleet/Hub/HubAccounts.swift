import FoundationEssentials

/// The accounts that a hub knows, over a link that has logged in as a user of the system account.
package struct HubAccounts: Sendable {
    private let link: any FleetLink
    private let timeout: Duration

    package init(over link: any FleetLink, timeout: Duration) { (self.link, self.timeout) = (link, timeout) }

    // nats-server's `$SYS` subjects. Every server takes an update, and one's response is enough, since a server that was
    // away asks the others (`interval` of its resolver).
    private static let update = "$SYS.REQ.CLAIMS.UPDATE"
    private static func lookup(of account: NKey) -> String { "$SYS.REQ.ACCOUNT.\(account).CLAIMS.LOOKUP" }

    /// The token of an account, as one of the servers has it. Throws `no-response` where none knows the account.
    package func token(of account: NKey) async throws -> AccountToken {
        let response = try await link.request(HubMessage(subject: Self.lookup(of: account)), timeout: timeout)
        let token: AccountToken
        do throws(FleetError) {
            token = try AccountToken(String(decoding: response.body, as: UTF8.self))
        } catch {
            guard error.code == .invalidKey else { throw error }
            throw FleetError(.malformed, "the hub's token of the account \(account) is none that this version knows")
        }
        guard token.publicKey == account else {
            throw FleetError(.malformed, "the hub has answered with another account than \(account)")
        }
        return token
    }

    /// Hands over the token of an account. Returns once a server has stored it, and thrown out those who are in no more.
    /// Throws `refused` with the server's reason.
    package func send(account token: String) async throws {
        let response = try await link.request(
            HubMessage(subject: Self.update, body: Array(token.utf8)), timeout: timeout)
        let answer: Answer = try JSONMessage.decode(response.body, "hub's response to an account")
        if let error = answer.error {
            throw FleetError(
                .refused, "the hub does not take the account: \(error.description ?? "it gives no reason")",
                hubCode: error.code)
        }
        guard answer.data?.code == 200 else {
            throw FleetError(.malformed, "the hub's response to an account says neither that it has it nor why not")
        }
    }

    private struct Answer: Decodable {
        var data: Result?
        var error: Result?

        struct Result: Decodable {
            var code: Int?
            var description: String?
        }
    }
}
