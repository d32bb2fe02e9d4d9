import ArgumentParser
import KioskAPI
import PrintModel

/// What the shell completes by asking the daemon; nothing when that cannot be reached soon.
enum Completion {
    static let printers = CompletionKind.custom { words, _, _ in
        await ask(words) { try await $0.printers().map(\.printer.id.rawValue) }
    }
    static let roles = CompletionKind.custom { words, _, _ in
        await ask(words) { try await $0.roles().map(\.name.rawValue) }
    }
    static let profiles = CompletionKind.custom { words, _, _ in
        await ask(words) { try await $0.profiles().map(\.name) }
    }
    static let jobs = CompletionKind.custom { words, _, _ in
        await ask(words) { try await $0.jobs().jobs.map { String($0.id) } }
    }
    static let receiptFormats = CompletionKind.list(Arguments.receiptFormats.keys.sorted())
    static let trust = CompletionKind.list(["system", "ask", "none", "ca:", "sha256:"])
    static let moments = CompletionKind.list(["10m", "1h", "today", "yesterday", "7d"])
    static let jobTypes = CompletionKind.list(Arguments.jobTypeKeywords)
    static let states = CompletionKind.list(Arguments.stateKeywords)

    private static func ask(_ words: [String], _ question: (KioskClient) async throws -> [String]) async -> [String] {
        var options = KioskClient.Options()
        options.connectTimeout = .milliseconds(300)
        options.answerTimeout = .seconds(1)
        let location = SocketLocation.forClient(
            socket: value(of: "--socket", in: words), stateDirectory: value(of: "--state-dir", in: words)
        )
        // A shell that completes shows no errors: no answer, no words.
        return (try? await question(KioskClient(socket: location, options: options))) ?? []
    }

    private static func value(of option: String, in words: [String]) -> String? {
        guard let index = words.firstIndex(of: option), index + 1 < words.count else {
            return words.first { $0.hasPrefix("\(option)=") }.map { String($0.dropFirst(option.count + 1)) }
        }
        return words[index + 1]
    }
}
