import PrintModel

extension ShellScript {
    /// Answers with what `lpq` says. Arguments: the queue; the owner, coded, or nothing.
    static func listing(_ dialect: LprSettings.Dialect) -> ShellScript {
        switch dialect {
        case .cups: cupsListing
        case .lprng: lprngListing
        case .bsd: bsdListing
        }
    }

    private static let cupsListing = listing(with: .cups)
    private static let lprngListing = listing(with: .lprng)
    private static let bsdListing = listing(with: .bsd)

    private static func listing(with dialect: LprSettings.Dialect) -> ShellScript {
        ShellScript("queue=$1; owner=$(printf %b \"$2\"); echo \(answerMark); exec \(dialect.lpq) 2>&1;")
    }

    /// Removes a job. Arguments: the queue; the owner, coded, or nothing; the job's number.
    static func removal(_ dialect: LprSettings.Dialect) -> ShellScript {
        switch dialect {
        case .cups: cupsRemoval
        case .lprng, .bsd: otherRemoval
        }
    }

    private static let cupsRemoval = removal(with: .cups)
    private static let otherRemoval = removal(with: .bsd)

    private static func removal(with dialect: LprSettings.Dialect) -> ShellScript {
        ShellScript("queue=$1; owner=$(printf %b \"$2\"); echo \(answerMark); exec \(dialect.lprm) \"$3\" 2>&1;")
    }
}
