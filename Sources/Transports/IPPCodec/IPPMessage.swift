/// An IPP request or response without its document (RFC 8010 §3.1). Order and repetition of groups are the wire's.
package struct IPPMessage: Hashable, Sendable {
    package var version: IPPVersion
    /// A request's `operation-id`, a response's `status-code`: which of the two is known from the direction only.
    package var code: UInt16
    /// From 1 up; a response repeats its request's.
    package var requestID: Int32
    package var groups: [IPPGroup]

    package init(version: IPPVersion = .v2_0, code: UInt16, requestID: Int32, groups: [IPPGroup] = []) {
        self.version = version
        self.code = code
        self.requestID = requestID
        self.groups = groups
    }

    package init(
        version: IPPVersion = .v2_0, operation: IPPOperation, requestID: Int32, groups: [IPPGroup] = []
    ) {
        self.init(version: version, code: operation.rawValue, requestID: requestID, groups: groups)
    }

    package init(version: IPPVersion = .v2_0, status: IPPStatus, requestID: Int32, groups: [IPPGroup] = []) {
        self.init(version: version, code: status.rawValue, requestID: requestID, groups: groups)
    }

    /// Of a request.
    package var operation: IPPOperation {
        get { IPPOperation(rawValue: code) }
        set { code = newValue.rawValue }
    }

    /// Of a response.
    package var status: IPPStatus {
        get { IPPStatus(rawValue: code) }
        set { code = newValue.rawValue }
    }
}

extension IPPMessage {
    /// The first group with this tag.
    package func first(_ tag: IPPGroupTag) -> IPPGroup? {
        groups.first { $0.tag == tag }
    }

    /// All groups with this tag: one for each job in a Get-Jobs response.
    package func groups(_ tag: IPPGroupTag) -> [IPPGroup] {
        groups.filter { $0.tag == tag }
    }

    /// The attribute of this name in the first group with this tag that has it.
    package func attribute(_ name: String, in tag: IPPGroupTag) -> IPPAttribute? {
        for group in groups where group.tag == tag {
            if let attribute = group[name] { return attribute }
        }
        return nil
    }
}
