/// Which prompt of keyboard-interactive the password answers: the first that comes alone and does not echo. All others
/// may ask for something else, a one-time code or a new password, and get nothing.
struct PasswordPrompt {
    private var isAnswered = false

    /// `echoes`: of one round's prompts (RFC 4256 §3.2), which may be shown as they are typed.
    mutating func takes(_ echoes: [Bool]) -> Bool {
        guard !isAnswered, !echoes.isEmpty else { return false }
        isAnswered = true
        return echoes == [false]
    }
}
