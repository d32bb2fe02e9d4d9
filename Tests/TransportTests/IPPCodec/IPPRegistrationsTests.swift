import IPPCodec
import Testing

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
