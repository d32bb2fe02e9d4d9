import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct TokensCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "List, make and revoke access tokens, for programs that come by the network.",
        subcommands: [TokensListCommand.self, TokensAddCommand.self, TokensRevokeCommand.self],
        defaultSubcommand: TokensListCommand.self
    )
}

struct TokensListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List access tokens: what they grant, when they end, when they were used last.",
        discussion: """
            EXAMPLES
              kioskctl tokens list
            """
    )

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        let list = try connection.client.perform(.tokens())
        if output.json { return try Console.write(json: list) }
        Console.write(TokenText.table(list.tokens))
        if list.tokens.isEmpty { Console.writeMessage("there is no token; make one with `kioskctl tokens add`") }
    }
}

struct TokensAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make an access token, and show its secret this once.",
        discussion: """
            A program sends the secret with each request: Authorization: Bearer kiosk_… kioskd keeps a digest of it \
            alone, and cannot show it again. The secret stands on standard output, all else on standard error.

            SCOPES
              print:ROLE  print to this role, see and cancel the own jobs
              print       print to every role and printer
              read        see printers, roles, profiles, health and jobs
              drawer      open cash drawers with receipts
              raw         send raw documents and raw commands
              standby     keep another kiosk's jobs here: for its --partner-token
              admin       all that administrators may do

            A web page may use a token only where its origin is named.

            EXAMPLES
              kioskctl tokens add till-1 --scope print:receipt --scope drawer --expires 90d
              kioskctl tokens add shop --scope print:receipt --origin https://till.example
              kioskctl tokens add monitoring --scope read > /etc/monitoring/kioskd.token
            """
    )

    @Argument(help: ArgumentHelp("What the token is called: the till or program that uses it.", valueName: "name"))
    var name: String

    @Option(
        name: .customLong("scope"), help: ArgumentHelp("What it grants; may be repeated.", valueName: "scope"),
        completion: .list(["print", "print:receipt", "read", "drawer", "raw", "standby", "admin"]))
    var scopes: [String] = []

    @Option(
        name: .customLong("expires"),
        help: ArgumentHelp("In how long it ends, such as 12h or 90d (default: never).", valueName: "time"),
        completion: .list(["1d", "30d", "90d", "365d"]), transform: Arguments.lifetime)
    var seconds: Int?

    @Option(
        name: .customLong("origin"),
        help: ArgumentHelp("A web page's origin that may use it; may be repeated.", valueName: "url"))
    var origins: [String] = []

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard !scopes.isEmpty else {
            throw ValidationError("A token needs a scope: add --scope print:ROLE, --scope read, or another.")
        }
    }

    func run() throws {
        let request = TokenRequest(
            name: name, scopes: scopes.flatMap { $0.split(separator: ",").map(String.init) },
            origins: origins.isEmpty ? nil : origins, expiresIn: seconds)
        let made = try connection.client.perform(.makeToken(request))
        if output.json { return try Console.write(json: made) }
        Console.writeMessage(
            "token \(made.token.id) (\(made.token.name)) is made; keep its secret, which is shown this once")
        Console.writeLine(made.secret)
    }
}

struct TokensRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke an access token, which counts at once.",
        discussion: """
            EXAMPLES
              kioskctl tokens revoke 3
              kioskctl tokens revoke till-1
            """
    )

    @Argument(
        help: ArgumentHelp("The token's number, or its name.", valueName: "token"), completion: Completion.tokens)
    var token: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        let id = try UInt32(token) ?? number(ofName: token)
        try connection.client.perform(.revokeToken(id))
        try output.json ? Console.write(json: ["revoked": id]) : Console.writeLine("token \(id) is revoked")
    }

    private func number(ofName name: String) throws -> UInt32 {
        let tokens = try connection.client.perform(.tokens()).tokens
        guard let found = tokens.first(where: { $0.name == name }) else {
            throw CommandFailure(message: "there is no token \"\(name)\"; see them with: kioskctl tokens list")
        }
        return found.id
    }
}

/// Formats tokens for people.
enum TokenText {
    static func table(_ tokens: [TokenDescription], _ style: Style = .current) -> String {
        let hasOrigins = tokens.contains { !$0.origins.isEmpty }
        var columns: [Table.Column] = [
            .init(heading: "ID", isNumber: true), .init(heading: "NAME"), .init(heading: "SCOPES"),
            .init(heading: "ENDS"), .init(heading: "LAST USED"), .init(heading: "MADE BY"),
        ]
        if hasOrigins { columns.append(.init(heading: "ORIGINS")) }
        var table = Table(columns)
        for token in tokens {
            var cells: [Table.Cell] = [
                .init(String(token.id)), .init(token.name), .init(token.scopes.joined(separator: ", ")),
                token.isExpired ? .init("expired", .red) : .init(token.expiresAt?.description ?? "never"),
                .init(token.lastUsedAt?.description ?? "never"), .init(token.createdBy),
            ]
            if hasOrigins { cells.append(.init(token.origins.joined(separator: ", "))) }
            table.add(cells)
        }
        return table.text(style)
    }
}
