/// An IPP request or response without its document (RFC 8010 §3.1). The groups keep their order and their repetitions.
package struct IPPMessage: Hashable, Sendable {
    package var version: IPPVersion
    /// The `operation-id` of a request or the `status-code` of a response. Only the direction tells which of the two.
    package var code: UInt16
    /// Starts at 1. A response repeats the number of its request.
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

    /// The operation, if the message is a request.
    package var operation: IPPOperation {
        get { IPPOperation(rawValue: code) }
        set { code = newValue.rawValue }
    }

    /// The status, if the message is a response.
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

    /// All groups with this tag, for example one per job in a Get-Jobs response.
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

/// The `version-number` of a message (RFC 8010 §3.1.1): two octets. Each is a SIGNED-BYTE, kept here as on the wire.
package struct IPPVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
    package var major: UInt8
    package var minor: UInt8

    package init(_ major: UInt8, _ minor: UInt8) {
        self.major = major
        self.minor = minor
    }

    package var description: String { "\(major).\(minor)" }

    package static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// RFC 2566.
    package static let v1_0 = IPPVersion(1, 0)
    /// RFC 8011.
    package static let v1_1 = IPPVersion(1, 1)
    /// PWG 5100.12, which also defines 2.1 and 2.2.
    package static let v2_0 = IPPVersion(2, 0)
    package static let v2_1 = IPPVersion(2, 1)
    package static let v2_2 = IPPVersion(2, 2)
}
