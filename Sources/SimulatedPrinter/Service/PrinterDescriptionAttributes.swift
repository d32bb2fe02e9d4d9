import KioskIPPCodec
import KioskPrintModel

/// The Printer Description attributes (RFC 8011 §5.4, PWG 5100.13, PWG 5100.14).
struct PrinterDescriptionAttributes {
    private let printer: PrinterIdentity
    private let capabilities: SimulatedModel
    private let creationAttributes: [String]

    init(_ printer: PrinterIdentity, _ capabilities: SimulatedModel, _ template: JobTemplate) {
        self.printer = printer
        self.capabilities = capabilities
        creationAttributes = template.creationAttributes
    }

    private static let operations: [IPPOperation] = [
        .printJob, .validateJob, .createJob, .sendDocument, .cancelJob, .getJobAttributes, .getJobs,
        .getPrinterAttributes, .cancelMyJobs, .closeJob, .identifyPrinter, .holdJob, .releaseJob,
        .createPrinterSubscriptions, .createJobSubscriptions, .getSubscriptionAttributes, .getSubscriptions,
        .renewSubscription, .cancelSubscription, .getNotifications,
    ]

    /// The attributes that change while the printer runs.
    func current(_ model: PrinterModel, at now: Duration) -> [IPPAttribute] {
        let changed = model.stateChangedAt
        return [
            IPPAttribute("printer-state", .enum(model.state.rawValue)),
            IPPAttribute("printer-state-reasons", keywords: model.reasons),
            IPPAttribute("printer-state-message", .text(IPPText(stateMessage(model)))),
            IPPAttribute("printer-is-accepting-jobs", .boolean(!model.condition.isRejectingJobs)),
            IPPAttribute("queued-job-count", .integer(Int32(clamping: model.queuedJobs.count))),
            IPPAttribute("printer-up-time", .integer(model.upTime(at: now))),
            IPPAttribute("printer-current-time", .dateTime(printer.dateTime(now))),
            IPPAttribute("printer-state-change-time", .integer(model.upTime(at: changed))),
            IPPAttribute("printer-state-change-date-time", .dateTime(printer.dateTime(changed))),
            IPPAttribute("printer-config-change-time", .integer(model.upTime(at: model.poweredOnAt))),
            IPPAttribute("printer-config-change-date-time", .dateTime(printer.dateTime(model.poweredOnAt))),
        ]
    }

    private func stateMessage(_ model: PrinterModel) -> String {
        let condition = model.condition
        if condition.isCoverOpen { return "The cover is open." }
        if condition.isPaperOut { return "The printer is out of paper." }
        if condition.isJammed { return "The paper is jammed." }
        if condition.isPaperLow { return "The paper is low." }
        return model.state == .processing ? "Printing." : "Ready."
    }

    /// The attributes that never change.
    var constant: [IPPAttribute] { identification + protocols + capabilityAttributes + notifications }

    /// The attributes of RFC 3995 §5.3.3 and §6, and RFC 3996 §8.
    private var notifications: [IPPAttribute] {
        [
            IPPAttribute("notify-pull-method-supported", keyword: "ippget"),
            IPPAttribute("notify-events-default", keyword: "job-completed"),
            IPPAttribute("notify-events-supported", keywords: SubscriptionService.events.sorted()),
            IPPAttribute("notify-max-events-supported", .integer(Int32(clamping: SubscriptionService.events.count))),
            IPPAttribute("notify-lease-duration-default", .integer(SubscriptionService.defaultLease)),
            IPPAttribute(
                "notify-lease-duration-supported", .rangeOfInteger(IPPRange(1, SubscriptionService.maximumLease))),
            IPPAttribute("ippget-event-life", .integer(SubscriptionService.defaultLease)),
        ]
    }

    private var identification: [IPPAttribute] {
        func text(_ name: String, _ text: String) -> IPPAttribute {
            IPPAttribute(name, .text(IPPText(text.prefix(utf8Count: 127))))
        }
        return [
            IPPAttribute("printer-uri-supported", .uri(IPPText(printer.uri))),
            IPPAttribute("uri-authentication-supported", keyword: printer.access.authentication),
            IPPAttribute("uri-security-supported", keyword: printer.access.securityKeyword),
            IPPAttribute("printer-name", .name(IPPText(printer.name.prefix(utf8Count: 127)))),
            text("printer-info", printer.name),
            text("printer-location", printer.location),
            text("printer-make-and-model", capabilities.makeAndModel),
            text("printer-device-id", capabilities.deviceID),
            IPPAttribute("printer-kind", keywords: capabilities.kinds),
            IPPAttribute("printer-uuid", .uri(IPPText("urn:uuid:\(printer.uuid)"))),
            IPPAttribute("printer-more-info", .uri(IPPText(printer.webPage))),
            IPPAttribute("printer-supply-info-uri", .uri(IPPText(printer.webPage))),
            IPPAttribute("printer-icons", .uri(IPPText("\(printer.webPage)icon.png"))),
            IPPAttribute("printer-geo-location", .unknown),
            text("printer-organization", ""),
            text("printer-organizational-unit", ""),
        ]
    }

    private var protocols: [IPPAttribute] {
        [
            IPPAttribute("ipp-versions-supported", keywords: ["1.1", "2.0"]),
            IPPAttribute("ipp-features-supported", keyword: "ipp-everywhere"),
            IPPAttribute("operations-supported", .enums(Self.operations.map { Int32($0.rawValue) })),
            IPPAttribute("charset-configured", .charset("utf-8")),
            IPPAttribute("charset-supported", .charset("utf-8")),
            IPPAttribute("natural-language-configured", .naturalLanguage("en")),
            IPPAttribute("generated-natural-language-supported", .naturalLanguage("en")),
            IPPAttribute(
                "compression-supported", keywords: ["none"] + DocumentCompression.allCases.map(\.rawValue)),
            IPPAttribute("document-format-default", .mimeMediaType(IPPText(capabilities.formats[0]))),
            IPPAttribute("document-format-supported", .mimeMediaTypes(capabilities.formats)),
            IPPAttribute("pdl-override-supported", keyword: "attempted"),
            IPPAttribute("multiple-document-jobs-supported", .boolean(false)),
            IPPAttribute(
                "multiple-operation-time-out",
                .integer(Int32(clamping: PrinterModel.multipleOperationTimeOut.components.seconds))),
            IPPAttribute("multiple-operation-time-out-action", keyword: "abort-job"),
            IPPAttribute("job-ids-supported", .boolean(true)),
            // PWG 5100.13 §5.6: documents with a password are not printed.
            IPPAttribute("document-password-supported", .integer(0)),
            IPPAttribute("preferred-attributes-supported", .boolean(false)),
            IPPAttribute("job-creation-attributes-supported", keywords: creationAttributes),
            IPPAttribute("printer-get-attributes-supported", keyword: "document-format"),
            IPPAttribute("which-jobs-supported", keywords: WhichJobs.allCases.map(\.rawValue)),
            IPPAttribute("identify-actions-default", keyword: "display"),
            IPPAttribute("identify-actions-supported", keyword: "display"),
        ]
    }

    private var capabilityAttributes: [IPPAttribute] {
        let supply =
            "index=1;class=supplyThatIsConsumed;type=\(capabilities.supply.type);unit=percent;maxcapacity=100;level=80;"
        var attributes = [
            IPPAttribute("color-supported", .boolean(capabilities.isColor)),
            IPPAttribute("pages-per-minute", .integer(capabilities.pagesPerMinute)),
            IPPAttribute("job-k-octets-supported", .rangeOfInteger(IPPRange(0, .max))),
            IPPAttribute("printer-supply", .octetString(Array(supply.utf8))),
            IPPAttribute("printer-supply-description", .text(IPPText(capabilities.supply.description))),
            IPPAttribute(
                "pwg-raster-document-resolution-supported",
                capabilities.resolutions.map { .resolution(IPPResolution($0, $0)) }),
            IPPAttribute("pwg-raster-document-sheet-back", keyword: capabilities.sheetBack),
            IPPAttribute("pwg-raster-document-type-supported", keywords: capabilities.rasterTypes),
        ]
        if !capabilities.appleRaster.isEmpty {
            attributes.append(IPPAttribute("urf-supported", keywords: capabilities.appleRaster))
        }
        if capabilities.isColor {
            attributes.append(IPPAttribute("pages-per-minute-color", .integer(capabilities.pagesPerMinute)))
        }
        return attributes
    }
}
