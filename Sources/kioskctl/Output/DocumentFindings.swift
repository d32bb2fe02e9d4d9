import KioskAPI

extension Problem.Finding {
    /// With the file's name before its line: `order.receipt:3:5: …`
    func about(_ file: String) -> Problem.Finding {
        var finding = self
        finding.file = file == "-" ? "standard input" : file
        return finding
    }
}

extension KioskClientError {
    /// What is wrong with a document names its file.
    func about(_ file: String) -> KioskClientError {
        guard let problem, problem.code == .documentInvalid || problem.code == .notAllowed,
            let findings = problem.problems, !findings.isEmpty
        else { return self }
        var error = self
        error.problem?.problems = findings.map { $0.about(file) }
        // All that the sentence says, the findings say, and more that is not about the document.
        let rest = findings.count == 1 ? message.dropPrefix(findings[0].description) : nil
        error.message = (error.problem?.problems?.first?.description ?? message) + (rest ?? "")
        return error
    }
}

extension String {
    fileprivate func dropPrefix(_ prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
