import Testing

@testable import SSH

@Suite("PasswordPrompt")
struct PasswordPromptTests {
    @Test(
        "The password answers the one hidden prompt of the first round that has any, and nothing else",
        arguments: [
            ([[false]], [true]), ([[], [false], []], [false, true, false]), ([[false], [false]], [true, false]),
            ([[true]], [false]), ([[true], [false]], [false, false]), ([[false, false]], [false]),
            ([[true, false], [false]], [false, false]),
        ])
    func takes(rounds: [[Bool]], expected: [Bool]) {
        var prompt = PasswordPrompt()
        #expect(rounds.map { prompt.takes($0) } == expected)
    }
}
