// Registered values, by the document that defines them (IANA "IPP Registrations").
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
