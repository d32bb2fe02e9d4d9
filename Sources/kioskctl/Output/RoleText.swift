import PrintModel
import Terminal

/// What people are told of a role.
enum RoleText {
    static func table(_ roles: [Role], _ style: Style = .current) -> String {
        var table = Table([
            .init(heading: "ROLE"), .init(heading: "PRINTERS"), .init(heading: "POLICY"), .init(heading: "JOB TYPE"),
            .init(heading: "UNCONFIRMED"), .init(heading: "EXPIRES", isNumber: true),
            .init(heading: "KEEPS JOBS", isNumber: true),
            .init(heading: "DOCUMENTS"),
        ])
        for role in roles {
            table.add([
                .init(role.name.rawValue),
                .init(
                    role.printers.isEmpty ? "none" : role.printers.map(\.rawValue).joined(separator: ", "),
                    role.printers.isEmpty ? .red : nil),
                .init(role.policy.rawValue), .init(role.jobType?.description ?? "any"),
                .init(role.unconfirmed.rawValue),
                .init(Quantities.period(seconds: role.effectiveExpiry)),
                .init(Quantities.period(seconds: role.keep.effectiveJobs)), .init(documents(role.keep)),
            ])
        }
        return table.text(style)
    }

    private static func documents(_ keep: Retention) -> String {
        guard keep.effectiveDocuments > 0, keep.effectiveSize > 0 else { return "none" }
        return "\(Quantities.period(seconds: keep.effectiveDocuments)), \(ByteCounts.text(of: keep.effectiveSize))"
    }
}
