import KioskIPPCodec
import Testing

@Suite struct IPPMessageTests {
    private let message = IPPMessage(
        status: .successfulOk, requestID: 7,
        groups: [
            IPPGroup(.operation, [IPPAttribute("attributes-charset", .charset("utf-8"))]),
            IPPGroup(.job, [IPPAttribute("job-id", .integer(1))]),
            IPPGroup(.job, [IPPAttribute("job-id", .integer(2)), IPPAttribute("job-name", .name("two"))]),
        ])

    @Test func `finds groups and attributes`() {
        #expect(message.first(.job)?["job-id"]?.integer == 1)
        #expect(message.groups(.job).compactMap { $0["job-id"]?.integer } == [1, 2])
        #expect(message.attribute("job-name", in: .job)?.string == "two")
        #expect(message.attribute("job-name", in: .printer) == nil)
        #expect(message.first(.printer) == nil)
    }

    @Test func `a group's attribute is replaced in its place, added or removed`() {
        var group = message.groups[2]
        group["job-id"] = IPPAttribute("job-id", .integer(3))
        group["job-state"] = IPPAttribute("job-state", .enum(9))
        #expect(group.attributes.map(\.name) == ["job-id", "job-name", "job-state"])
        #expect(group["job-id"]?.integers == [3])
        group["job-name"] = nil
        #expect(group.attributes.map(\.name) == ["job-id", "job-state"])
    }

    @Test func `views take what has their syntax and leave out the rest`() {
        let mixed = IPPAttribute(
            "mixed",
            [
                .noValue, .integer(1), .enum(2), .boolean(true), .rangeOfInteger(IPPRange(3, 9)), .keyword("k"),
                .nameWithLanguage("n", language: "en"), .resolution(IPPResolution(300, 600)), .collection([]),
                .octetString([1]),
            ])
        #expect(mixed.integers == [1, 2])
        #expect(mixed.booleans == [true])
        #expect(mixed.ranges == [IPPRange(1, 1), IPPRange(3, 9)])
        #expect(mixed.strings == ["k", "n"])
        #expect(mixed.resolutions == [IPPResolution(300, 600, .dotsPerInch)])
        #expect(mixed.collections == [[]])
        #expect(mixed.octetStrings == [[1]])
        #expect((mixed.integer, mixed.string, mixed.boolean) == (1, "k", true))
        #expect(!mixed.isOutOfBand)
        #expect(IPPAttribute("a", .unknown).isOutOfBand)
    }

    @Test func `resolutions are the same in dots per inch and per centimetre`() {
        let perCentimetre = IPPResolution(100, 200, .dotsPerCentimetre).dotsPerInch
        #expect(perCentimetre?.crossFeed == 254)
        #expect(perCentimetre?.feed == 508)
        #expect(IPPResolution(0, 200).dotsPerInch == nil)
        #expect(IPPResolution(1, 1, .init(rawValue: 9)).dotsPerInch == nil)
        #expect(IPPResolution(203, 203).description == "203dpi")
    }

    @Test func `ranges and dates from hostile peers do no harm`() {
        #expect(IPPRange(9, 1).closed == nil)
        #expect(IPPRange(1, 9).closed == 1...9)
        #expect(!IPPRange(9, 1).contains(5))
        let date = IPPDateTime(year: 2026, month: 2, day: 3, hour: 4, minute: 5, second: 6)
        #expect(date.isValid)
        #expect(date.description == "2026-02-03T04:05:06.0+00:00")
        #expect(!IPPDateTime(year: 0, month: 13, day: 0, hour: 99, minute: 0, second: 0).isValid)
    }
}

@Suite struct IPPRegistrationsTests {
    @Test(
        arguments: [
            (0x0002, "Print-Job"), (0x000B, "Get-Printer-Attributes"), (0x0015, "Get-Printer-Supported-Values"),
            (0x001C, "Get-Notifications"), (0x003B, "Close-Job"), (0x003C, "Identify-Printer"),
            (0x4001, "CUPS-Get-Default"),
        ] as [(UInt16, String)])
    func `operations have their registered names`(_ value: UInt16, _ name: String) {
        #expect(IPPOperation(rawValue: value).name == name)
    }

    @Test(
        arguments: [
            (0x0000, "successful-ok"), (0x0406, "client-error-not-found"),
            (0x0413, "client-error-attributes-not-settable"),
            (0x0503, "server-error-version-not-supported"), (0x0507, "server-error-busy"),
        ] as [(UInt16, String)])
    func `statuses have their registered keywords`(_ value: UInt16, _ name: String) {
        #expect(IPPStatus(rawValue: value).name == name)
        #expect("\(IPPStatus(rawValue: value))" == name)
    }

    @Test func `values that are not registered have no name but print as numbers`() {
        #expect(IPPStatus(rawValue: 0x0599).name == nil)
        #expect("\(IPPStatus(rawValue: 0x0599))" == "status 0x599")
        #expect("\(IPPOperation(rawValue: 0x4FFF))" == "operation 0x4fff")
    }

    @Test func `statuses know their class`() {
        #expect(IPPStatus.successfulOkEventsComplete.isSuccess)
        #expect(IPPStatus(rawValue: 0x00FF).isSuccess)
        #expect(!IPPStatus(rawValue: 0x0100).isSuccess)
        #expect(IPPStatus.clientErrorGone.isClientError && !IPPStatus.clientErrorGone.isServerError)
        #expect(IPPStatus.serverErrorBusy.isServerError && !IPPStatus.serverErrorBusy.isSuccess)
    }

    @Test func `tags print as the RFC spells them`() {
        #expect("\(IPPGroupTag.printer)" == "printer-attributes-tag")
        #expect("\(IPPValueTag.name)" == "nameWithoutLanguage")
        #expect("\(IPPValueTag.noValue)" == "no-value")
        #expect("\(IPPValueTag(rawValue: 0x14))" == "value-tag 0x14")
    }
}
