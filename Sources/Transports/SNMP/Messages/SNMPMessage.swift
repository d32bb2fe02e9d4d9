/// A message of SNMPv1 (RFC 1157 §4) or SNMPv2c (RFC 1901 §3, RFC 3416 §3).
package struct SNMPMessage: Hashable, Sendable {
    package var version: Version
    /// What an agent grants access by; no secret, since it goes in plain text.
    package var community: [UInt8]
    package var kind: Kind
    package var requestID: Int32
    package var errorStatus: ErrorStatus
    /// The variable that the error is about, counted from 1; 0 where it is about none.
    package var errorIndex: Int
    package var variables: [Variable]

    /// The versions that this codec speaks. Version 3 is none of them.
    package enum Version: Int64, Hashable, Sendable {
        case v1 = 0
        case v2c = 1
    }

    /// The kinds of message that a query of values takes, with their tags.
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case get = 0xA0
        case getNext = 0xA1
        case response = 0xA2
    }

    /// An `error-status`; RFC 3416 §3 has those above 5.
    package struct ErrorStatus: RawRepresentable, Hashable, Sendable {
        package var rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }

        package static let noError = ErrorStatus(rawValue: 0)
        package static let tooBig = ErrorStatus(rawValue: 1)
        package static let noSuchName = ErrorStatus(rawValue: 2)
        package static let genErr = ErrorStatus(rawValue: 5)
    }

    /// A variable binding: a name and its value.
    package struct Variable: Hashable, Sendable {
        package var name: OID
        package var value: SNMPValue

        package init(_ name: OID, _ value: SNMPValue = .null) {
            self.name = name
            self.value = value
        }
    }

    package init(
        version: Version = .v1, community: [UInt8], kind: Kind, requestID: Int32,
        errorStatus: ErrorStatus = .noError, errorIndex: Int = 0, variables: [Variable]
    ) {
        self.version = version
        self.community = community
        self.kind = kind
        self.requestID = requestID
        self.errorStatus = errorStatus
        self.errorIndex = errorIndex
        self.variables = variables
    }

    /// The longest datagram that is read: more than fits into one Ethernet frame. Agents take and send 484 octets at
    /// least (RFC 1157 §4, RFC 3417 §3.2.1).
    package static let maximumLength = 2048
    /// The most variables that a message may have.
    package static let maximumVariables = 64
}

/// The value of a variable (RFC 1155 §3.2, RFC 3416 §3).
package enum SNMPValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case octets([UInt8])
    case name(OID)
    case unsigned(Syntax, UInt64)
    /// An IpAddress, an Opaque, or whatever else is not read, with its tag.
    case other(tag: UInt8, [UInt8])
    // SNMPv2c's exceptions (RFC 3416 §3): what stands in the place of a value that there is not.
    case noSuchObject
    case noSuchInstance
    case endOfMibView

    /// The syntaxes of numbers without a sign, with their tags.
    package enum Syntax: UInt8, Hashable, Sendable, CaseIterable {
        case counter32 = 0x41
        case gauge32 = 0x42
        case timeTicks = 0x43
        case counter64 = 0x46
    }

    /// The number, whichever syntax it has; nil where there is none, or one that no integer of SNMP can be.
    package var number: Int? {
        switch self {
        case .integer(let value): Int32(exactly: value).map(Int.init)
        case .unsigned(_, let value): UInt32(exactly: value).map(Int.init)
        default: nil
        }
    }

    /// The octets of an OCTET STRING.
    package var octets: [UInt8]? { if case .octets(let octets) = self { octets } else { nil } }
}
