/// What stands in place of a value: RFC 8011 §5.1.1 and RFC 3380 §8. Its raw value is its tag.
package enum IPPOutOfBand: UInt8, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case unsupported = 0x10
    /// RFC 2911; withdrawn since, yet still a registered tag.
    case `default` = 0x11
    case unknown = 0x12
    case noValue = 0x13
    /// RFC 3380 §8.1.
    case notSettable = 0x15
    /// RFC 3380 §8.2.
    case deleteAttribute = 0x16
    /// RFC 3380 §8.3.
    case adminDefine = 0x17

    package var description: String {
        switch self {
        case .unsupported: "unsupported"
        case .default: "default"
        case .unknown: "unknown"
        case .noValue: "no-value"
        case .notSettable: "not-settable"
        case .deleteAttribute: "delete-attribute"
        case .adminDefine: "admin-define"
        }
    }
}
