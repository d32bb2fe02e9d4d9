/// A request's `operation-id` (RFC 8011 §5.4.15).
package struct IPPOperation: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The registered name, "Print-Job"; nil for a value that is not registered.
    package var name: String? { Self.names[rawValue] }

    package var description: String { name ?? "operation 0x\(String(rawValue, radix: 16))" }
}

// The registered values, grouped by the document that defines them (IANA "IPP Registrations").
extension IPPOperation {
    // RFC 8011
    package static let printJob = IPPOperation(rawValue: 0x0002)
    package static let printURI = IPPOperation(rawValue: 0x0003)
    package static let validateJob = IPPOperation(rawValue: 0x0004)
    package static let createJob = IPPOperation(rawValue: 0x0005)
    package static let sendDocument = IPPOperation(rawValue: 0x0006)
    package static let sendURI = IPPOperation(rawValue: 0x0007)
    package static let cancelJob = IPPOperation(rawValue: 0x0008)
    package static let getJobAttributes = IPPOperation(rawValue: 0x0009)
    package static let getJobs = IPPOperation(rawValue: 0x000A)
    package static let getPrinterAttributes = IPPOperation(rawValue: 0x000B)
    package static let holdJob = IPPOperation(rawValue: 0x000C)
    package static let releaseJob = IPPOperation(rawValue: 0x000D)
    package static let restartJob = IPPOperation(rawValue: 0x000E)
    package static let pausePrinter = IPPOperation(rawValue: 0x0010)
    package static let resumePrinter = IPPOperation(rawValue: 0x0011)
    package static let purgeJobs = IPPOperation(rawValue: 0x0012)

    // RFC 3380
    package static let setPrinterAttributes = IPPOperation(rawValue: 0x0013)
    package static let setJobAttributes = IPPOperation(rawValue: 0x0014)
    package static let getPrinterSupportedValues = IPPOperation(rawValue: 0x0015)

    // RFC 3995
    package static let createPrinterSubscriptions = IPPOperation(rawValue: 0x0016)
    package static let createJobSubscriptions = IPPOperation(rawValue: 0x0017)
    package static let getSubscriptionAttributes = IPPOperation(rawValue: 0x0018)
    package static let getSubscriptions = IPPOperation(rawValue: 0x0019)
    package static let renewSubscription = IPPOperation(rawValue: 0x001A)
    package static let cancelSubscription = IPPOperation(rawValue: 0x001B)

    // RFC 3996
    package static let getNotifications = IPPOperation(rawValue: 0x001C)

    // PWG 5100.22
    package static let getResourceAttributes = IPPOperation(rawValue: 0x001E)
    package static let getResources = IPPOperation(rawValue: 0x0020)

    // RFC 3998
    package static let enablePrinter = IPPOperation(rawValue: 0x0022)
    package static let disablePrinter = IPPOperation(rawValue: 0x0023)
    package static let pausePrinterAfterCurrentJob = IPPOperation(rawValue: 0x0024)
    package static let holdNewJobs = IPPOperation(rawValue: 0x0025)
    package static let releaseHeldNewJobs = IPPOperation(rawValue: 0x0026)
    package static let deactivatePrinter = IPPOperation(rawValue: 0x0027)
    package static let activatePrinter = IPPOperation(rawValue: 0x0028)
    package static let restartPrinter = IPPOperation(rawValue: 0x0029)
    package static let shutdownPrinter = IPPOperation(rawValue: 0x002A)
    package static let startupPrinter = IPPOperation(rawValue: 0x002B)
    package static let reprocessJob = IPPOperation(rawValue: 0x002C)
    package static let cancelCurrentJob = IPPOperation(rawValue: 0x002D)
    package static let suspendCurrentJob = IPPOperation(rawValue: 0x002E)
    package static let resumeJob = IPPOperation(rawValue: 0x002F)
    package static let promoteJob = IPPOperation(rawValue: 0x0030)
    package static let scheduleJobAfter = IPPOperation(rawValue: 0x0031)

    // PWG 5100.5
    package static let cancelDocument = IPPOperation(rawValue: 0x0033)
    package static let getDocumentAttributes = IPPOperation(rawValue: 0x0034)
    package static let getDocuments = IPPOperation(rawValue: 0x0035)
    package static let deleteDocument = IPPOperation(rawValue: 0x0036)
    package static let setDocumentAttributes = IPPOperation(rawValue: 0x0037)

    // PWG 5100.11
    package static let cancelJobs = IPPOperation(rawValue: 0x0038)
    package static let cancelMyJobs = IPPOperation(rawValue: 0x0039)
    package static let resubmitJob = IPPOperation(rawValue: 0x003A)
    package static let closeJob = IPPOperation(rawValue: 0x003B)

    // PWG 5100.13
    package static let identifyPrinter = IPPOperation(rawValue: 0x003C)
    package static let validateDocument = IPPOperation(rawValue: 0x003D)

    // PWG 5100.15
    package static let addDocumentImages = IPPOperation(rawValue: 0x003E)

    // PWG 5100.18
    package static let acknowledgeDocument = IPPOperation(rawValue: 0x003F)
    package static let acknowledgeIdentifyPrinter = IPPOperation(rawValue: 0x0040)
    package static let acknowledgeJob = IPPOperation(rawValue: 0x0041)
    package static let fetchDocument = IPPOperation(rawValue: 0x0042)
    package static let fetchJob = IPPOperation(rawValue: 0x0043)
    package static let getOutputDeviceAttributes = IPPOperation(rawValue: 0x0044)
    package static let updateActiveJobs = IPPOperation(rawValue: 0x0045)
    package static let deregisterOutputDevice = IPPOperation(rawValue: 0x0046)
    package static let updateDocumentStatus = IPPOperation(rawValue: 0x0047)
    package static let updateJobStatus = IPPOperation(rawValue: 0x0048)
    package static let updateOutputDeviceAttributes = IPPOperation(rawValue: 0x0049)

    // PWG 5100.17
    package static let getNextDocumentData = IPPOperation(rawValue: 0x004A)

    // PWG 5100.22
    package static let allocatePrinterResources = IPPOperation(rawValue: 0x004B)
    package static let createPrinter = IPPOperation(rawValue: 0x004C)
    package static let deallocatePrinterResources = IPPOperation(rawValue: 0x004D)
    package static let deletePrinter = IPPOperation(rawValue: 0x004E)
    package static let getPrinters = IPPOperation(rawValue: 0x004F)
    package static let shutdownOnePrinter = IPPOperation(rawValue: 0x0050)
    package static let startupOnePrinter = IPPOperation(rawValue: 0x0051)
    package static let cancelResource = IPPOperation(rawValue: 0x0052)
    package static let createResource = IPPOperation(rawValue: 0x0053)
    package static let installResource = IPPOperation(rawValue: 0x0054)
    package static let sendResourceData = IPPOperation(rawValue: 0x0055)
    package static let setResourceAttributes = IPPOperation(rawValue: 0x0056)
    package static let createResourceSubscriptions = IPPOperation(rawValue: 0x0057)
    package static let createSystemSubscriptions = IPPOperation(rawValue: 0x0058)
    package static let disableAllPrinters = IPPOperation(rawValue: 0x0059)
    package static let enableAllPrinters = IPPOperation(rawValue: 0x005A)
    package static let getSystemAttributes = IPPOperation(rawValue: 0x005B)
    package static let getSystemSupportedValues = IPPOperation(rawValue: 0x005C)
    package static let pauseAllPrinters = IPPOperation(rawValue: 0x005D)
    package static let pauseAllPrintersAfterCurrentJob = IPPOperation(rawValue: 0x005E)
    package static let registerOutputDevice = IPPOperation(rawValue: 0x005F)
    package static let restartSystem = IPPOperation(rawValue: 0x0060)
    package static let resumeAllPrinters = IPPOperation(rawValue: 0x0061)
    package static let setSystemAttributes = IPPOperation(rawValue: 0x0062)
    package static let shutdownAllPrinters = IPPOperation(rawValue: 0x0063)
    package static let startupAllPrinters = IPPOperation(rawValue: 0x0064)
    package static let getPrinterResources = IPPOperation(rawValue: 0x0065)
    package static let getUserPrinterAttributes = IPPOperation(rawValue: 0x0066)
    package static let restartOnePrinter = IPPOperation(rawValue: 0x0067)

    // IPP Encrypted Jobs and Documents (TRUSTNOONE)
    package static let acknowledgeEncryptedJobAttributes = IPPOperation(rawValue: 0x0068)
    package static let fetchEncryptedJobAttributes = IPPOperation(rawValue: 0x0069)
    package static let getEncryptedJobAttributes = IPPOperation(rawValue: 0x006A)

    // CUPS
    package static let cupsGetDefault = IPPOperation(rawValue: 0x4001)
    package static let cupsGetPrinters = IPPOperation(rawValue: 0x4002)
    package static let cupsAddModifyPrinter = IPPOperation(rawValue: 0x4003)
    package static let cupsDeletePrinter = IPPOperation(rawValue: 0x4004)
    package static let cupsGetClasses = IPPOperation(rawValue: 0x4005)
    package static let cupsAddModifyClass = IPPOperation(rawValue: 0x4006)
    package static let cupsDeleteClass = IPPOperation(rawValue: 0x4007)
    package static let cupsAcceptJobs = IPPOperation(rawValue: 0x4008)
    package static let cupsRejectJobs = IPPOperation(rawValue: 0x4009)
    package static let cupsSetDefault = IPPOperation(rawValue: 0x400A)
    package static let cupsGetDevices = IPPOperation(rawValue: 0x400B)
    package static let cupsGetPPDs = IPPOperation(rawValue: 0x400C)
    package static let cupsMoveJob = IPPOperation(rawValue: 0x400D)
    package static let cupsAuthenticateJob = IPPOperation(rawValue: 0x400E)
    package static let cupsGetPPD = IPPOperation(rawValue: 0x400F)
    package static let cupsGetDocument = IPPOperation(rawValue: 0x4027)
    package static let cupsCreateLocalPrinter = IPPOperation(rawValue: 0x4028)
}

extension IPPOperation {
    /// The registered names by value.
    private static let names: [UInt16: String] = [
        0x0002: "Print-Job",
        0x0003: "Print-URI",
        0x0004: "Validate-Job",
        0x0005: "Create-Job",
        0x0006: "Send-Document",
        0x0007: "Send-URI",
        0x0008: "Cancel-Job",
        0x0009: "Get-Job-Attributes",
        0x000A: "Get-Jobs",
        0x000B: "Get-Printer-Attributes",
        0x000C: "Hold-Job",
        0x000D: "Release-Job",
        0x000E: "Restart-Job",
        0x0010: "Pause-Printer",
        0x0011: "Resume-Printer",
        0x0012: "Purge-Jobs",
        0x0013: "Set-Printer-Attributes",
        0x0014: "Set-Job-Attributes",
        0x0015: "Get-Printer-Supported-Values",
        0x0016: "Create-Printer-Subscriptions",
        0x0017: "Create-Job-Subscriptions",
        0x0018: "Get-Subscription-Attributes",
        0x0019: "Get-Subscriptions",
        0x001A: "Renew-Subscription",
        0x001B: "Cancel-Subscription",
        0x001C: "Get-Notifications",
        0x001E: "Get-Resource-Attributes",
        0x0020: "Get-Resources",
        0x0022: "Enable-Printer",
        0x0023: "Disable-Printer",
        0x0024: "Pause-Printer-After-Current-Job",
        0x0025: "Hold-New-Jobs",
        0x0026: "Release-Held-New-Jobs",
        0x0027: "Deactivate-Printer",
        0x0028: "Activate-Printer",
        0x0029: "Restart-Printer",
        0x002A: "Shutdown-Printer",
        0x002B: "Startup-Printer",
        0x002C: "Reprocess-Job",
        0x002D: "Cancel-Current-Job",
        0x002E: "Suspend-Current-Job",
        0x002F: "Resume-Job",
        0x0030: "Promote-Job",
        0x0031: "Schedule-Job-After",
        0x0033: "Cancel-Document",
        0x0034: "Get-Document-Attributes",
        0x0035: "Get-Documents",
        0x0036: "Delete-Document",
        0x0037: "Set-Document-Attributes",
        0x0038: "Cancel-Jobs",
        0x0039: "Cancel-My-Jobs",
        0x003A: "Resubmit-Job",
        0x003B: "Close-Job",
        0x003C: "Identify-Printer",
        0x003D: "Validate-Document",
        0x003E: "Add-Document-Images",
        0x003F: "Acknowledge-Document",
        0x0040: "Acknowledge-Identify-Printer",
        0x0041: "Acknowledge-Job",
        0x0042: "Fetch-Document",
        0x0043: "Fetch-Job",
        0x0044: "Get-Output-Device-Attributes",
        0x0045: "Update-Active-Jobs",
        0x0046: "Deregister-Output-Device",
        0x0047: "Update-Document-Status",
        0x0048: "Update-Job-Status",
        0x0049: "Update-Output-Device-Attributes",
        0x004A: "Get-Next-Document-Data",
        0x004B: "Allocate-Printer-Resources",
        0x004C: "Create-Printer",
        0x004D: "Deallocate-Printer-Resources",
        0x004E: "Delete-Printer",
        0x004F: "Get-Printers",
        0x0050: "Shutdown-One-Printer",
        0x0051: "Startup-One-Printer",
        0x0052: "Cancel-Resource",
        0x0053: "Create-Resource",
        0x0054: "Install-Resource",
        0x0055: "Send-Resource-Data",
        0x0056: "Set-Resource-Attributes",
        0x0057: "Create-Resource-Subscriptions",
        0x0058: "Create-System-Subscriptions",
        0x0059: "Disable-All-Printers",
        0x005A: "Enable-All-Printers",
        0x005B: "Get-System-Attributes",
        0x005C: "Get-System-Supported-Values",
        0x005D: "Pause-All-Printers",
        0x005E: "Pause-All-Printers-After-Current-Job",
        0x005F: "Register-Output-Device",
        0x0060: "Restart-System",
        0x0061: "Resume-All-Printers",
        0x0062: "Set-System-Attributes",
        0x0063: "Shutdown-All-Printers",
        0x0064: "Startup-All-Printers",
        0x0065: "Get-Printer-Resources",
        0x0066: "Get-User-Printer-Attributes",
        0x0067: "Restart-One-Printer",
        0x0068: "Acknowledge-Encrypted-Job-Attributes",
        0x0069: "Fetch-Encrypted-Job-Attributes",
        0x006A: "Get-Encrypted-Job-Attributes",
        0x4001: "CUPS-Get-Default",
        0x4002: "CUPS-Get-Printers",
        0x4003: "CUPS-Add-Modify-Printer",
        0x4004: "CUPS-Delete-Printer",
        0x4005: "CUPS-Get-Classes",
        0x4006: "CUPS-Add-Modify-Class",
        0x4007: "CUPS-Delete-Class",
        0x4008: "CUPS-Accept-Jobs",
        0x4009: "CUPS-Reject-Jobs",
        0x400A: "CUPS-Set-Default",
        0x400B: "CUPS-Get-Devices",
        0x400C: "CUPS-Get-PPDs",
        0x400D: "CUPS-Move-Job",
        0x400E: "CUPS-Authenticate-Job",
        0x400F: "CUPS-Get-PPD",
        0x4027: "CUPS-Get-Document",
        0x4028: "CUPS-Create-Local-Printer",
    ]
}
