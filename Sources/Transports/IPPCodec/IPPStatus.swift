/// A response's `status-code` (RFC 8011 §4.1.6.1 and Appendix B).
package struct IPPStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The registered keyword, "client-error-not-found"; nil for a value that is not registered.
    package var name: String? { Self.names[rawValue] }

    package var description: String { name ?? "status 0x\(String(rawValue, radix: 16))" }

    // RFC 8011 Appendix B.1 defines the classes. An unregistered value counts as the x00 of its class.
    package var isSuccess: Bool { rawValue <= 0x00FF }
    package var isClientError: Bool { (0x0400...0x04FF).contains(rawValue) }
    package var isServerError: Bool { (0x0500...0x05FF).contains(rawValue) }
}

// The registered values, grouped by the document that defines them (IANA "IPP Registrations").
extension IPPStatus {
    // RFC 8011
    package static let successfulOk = IPPStatus(rawValue: 0x0000)
    package static let successfulOkIgnoredOrSubstitutedAttributes = IPPStatus(rawValue: 0x0001)
    package static let successfulOkConflictingAttributes = IPPStatus(rawValue: 0x0002)

    // RFC 3995 and RFC 3996
    package static let successfulOkIgnoredSubscriptions = IPPStatus(rawValue: 0x0003)
    package static let successfulOkTooManyEvents = IPPStatus(rawValue: 0x0005)
    package static let successfulOkEventsComplete = IPPStatus(rawValue: 0x0007)

    // RFC 8011
    package static let clientErrorBadRequest = IPPStatus(rawValue: 0x0400)
    package static let clientErrorForbidden = IPPStatus(rawValue: 0x0401)
    package static let clientErrorNotAuthenticated = IPPStatus(rawValue: 0x0402)
    package static let clientErrorNotAuthorized = IPPStatus(rawValue: 0x0403)
    package static let clientErrorNotPossible = IPPStatus(rawValue: 0x0404)
    package static let clientErrorTimeout = IPPStatus(rawValue: 0x0405)
    package static let clientErrorNotFound = IPPStatus(rawValue: 0x0406)
    package static let clientErrorGone = IPPStatus(rawValue: 0x0407)
    package static let clientErrorRequestEntityTooLarge = IPPStatus(rawValue: 0x0408)
    package static let clientErrorRequestValueTooLong = IPPStatus(rawValue: 0x0409)
    package static let clientErrorDocumentFormatNotSupported = IPPStatus(rawValue: 0x040A)
    package static let clientErrorAttributesOrValuesNotSupported = IPPStatus(rawValue: 0x040B)
    package static let clientErrorURISchemeNotSupported = IPPStatus(rawValue: 0x040C)
    package static let clientErrorCharsetNotSupported = IPPStatus(rawValue: 0x040D)
    package static let clientErrorConflictingAttributes = IPPStatus(rawValue: 0x040E)
    package static let clientErrorCompressionNotSupported = IPPStatus(rawValue: 0x040F)
    package static let clientErrorCompressionError = IPPStatus(rawValue: 0x0410)
    package static let clientErrorDocumentFormatError = IPPStatus(rawValue: 0x0411)
    package static let clientErrorDocumentAccessError = IPPStatus(rawValue: 0x0412)

    // RFC 3380
    package static let clientErrorAttributesNotSettable = IPPStatus(rawValue: 0x0413)

    // RFC 3995
    package static let clientErrorIgnoredAllSubscriptions = IPPStatus(rawValue: 0x0414)
    package static let clientErrorTooManySubscriptions = IPPStatus(rawValue: 0x0415)

    // PWG 5100.13
    package static let clientErrorDocumentPasswordError = IPPStatus(rawValue: 0x0418)
    package static let clientErrorDocumentPermissionError = IPPStatus(rawValue: 0x0419)
    package static let clientErrorDocumentSecurityError = IPPStatus(rawValue: 0x041A)
    package static let clientErrorDocumentUnprintableError = IPPStatus(rawValue: 0x041B)

    // PWG 5100.16
    package static let clientErrorAccountInfoNeeded = IPPStatus(rawValue: 0x041C)
    package static let clientErrorAccountClosed = IPPStatus(rawValue: 0x041D)
    package static let clientErrorAccountLimitReached = IPPStatus(rawValue: 0x041E)
    package static let clientErrorAccountAuthorizationFailed = IPPStatus(rawValue: 0x041F)

    // PWG 5100.18
    package static let clientErrorNotFetchable = IPPStatus(rawValue: 0x0420)

    // RFC 8011
    package static let serverErrorInternalError = IPPStatus(rawValue: 0x0500)
    package static let serverErrorOperationNotSupported = IPPStatus(rawValue: 0x0501)
    package static let serverErrorServiceUnavailable = IPPStatus(rawValue: 0x0502)
    package static let serverErrorVersionNotSupported = IPPStatus(rawValue: 0x0503)
    package static let serverErrorDeviceError = IPPStatus(rawValue: 0x0504)
    package static let serverErrorTemporaryError = IPPStatus(rawValue: 0x0505)
    package static let serverErrorNotAcceptingJobs = IPPStatus(rawValue: 0x0506)
    package static let serverErrorBusy = IPPStatus(rawValue: 0x0507)
    package static let serverErrorJobCanceled = IPPStatus(rawValue: 0x0508)
    package static let serverErrorMultipleDocumentJobsNotSupported = IPPStatus(rawValue: 0x0509)

    // RFC 3998
    package static let serverErrorPrinterIsDeactivated = IPPStatus(rawValue: 0x050A)

    // PWG 5100.7
    package static let serverErrorTooManyJobs = IPPStatus(rawValue: 0x050B)
    package static let serverErrorTooManyDocuments = IPPStatus(rawValue: 0x050C)
}

extension IPPStatus {
    /// The registered names by value.
    private static let names: [UInt16: String] = [
        0x0000: "successful-ok",
        0x0001: "successful-ok-ignored-or-substituted-attributes",
        0x0002: "successful-ok-conflicting-attributes",
        0x0003: "successful-ok-ignored-subscriptions",
        0x0005: "successful-ok-too-many-events",
        0x0007: "successful-ok-events-complete",
        0x0400: "client-error-bad-request",
        0x0401: "client-error-forbidden",
        0x0402: "client-error-not-authenticated",
        0x0403: "client-error-not-authorized",
        0x0404: "client-error-not-possible",
        0x0405: "client-error-timeout",
        0x0406: "client-error-not-found",
        0x0407: "client-error-gone",
        0x0408: "client-error-request-entity-too-large",
        0x0409: "client-error-request-value-too-long",
        0x040A: "client-error-document-format-not-supported",
        0x040B: "client-error-attributes-or-values-not-supported",
        0x040C: "client-error-uri-scheme-not-supported",
        0x040D: "client-error-charset-not-supported",
        0x040E: "client-error-conflicting-attributes",
        0x040F: "client-error-compression-not-supported",
        0x0410: "client-error-compression-error",
        0x0411: "client-error-document-format-error",
        0x0412: "client-error-document-access-error",
        0x0413: "client-error-attributes-not-settable",
        0x0414: "client-error-ignored-all-subscriptions",
        0x0415: "client-error-too-many-subscriptions",
        0x0418: "client-error-document-password-error",
        0x0419: "client-error-document-permission-error",
        0x041A: "client-error-document-security-error",
        0x041B: "client-error-document-unprintable-error",
        0x041C: "client-error-account-info-needed",
        0x041D: "client-error-account-closed",
        0x041E: "client-error-account-limit-reached",
        0x041F: "client-error-account-authorization-failed",
        0x0420: "client-error-not-fetchable",
        0x0500: "server-error-internal-error",
        0x0501: "server-error-operation-not-supported",
        0x0502: "server-error-service-unavailable",
        0x0503: "server-error-version-not-supported",
        0x0504: "server-error-device-error",
        0x0505: "server-error-temporary-error",
        0x0506: "server-error-not-accepting-jobs",
        0x0507: "server-error-busy",
        0x0508: "server-error-job-canceled",
        0x0509: "server-error-multiple-document-jobs-not-supported",
        0x050A: "server-error-printer-is-deactivated",
        0x050B: "server-error-too-many-jobs",
        0x050C: "server-error-too-many-documents",
    ]
}
