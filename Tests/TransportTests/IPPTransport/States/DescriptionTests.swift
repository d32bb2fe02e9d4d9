import IPPCodec
import PrintModel
import Testing

@testable import IPP

/// What printers' attributes are read as.
@Suite struct DescriptionTests {
    private func printer(_ attributes: IPPAttribute...) -> IPPGroup { IPPGroup(.printer, attributes) }

    private static let kinds: [([String], JobTypes)] = [
        (["document", "photo"], [.general, .document, .photo]), (["receipt"], [.receipt]),
        (["label", "vendor-kind"], [.label]),
    ]

    @Test(arguments: kinds)
    func `printer-kind is the printer's own word`(kinds: [String], types: JobTypes) {
        let description = PrinterDescription(
            printer(
                IPPAttribute("printer-kind", keywords: kinds),
                IPPAttribute("media-supported", keywords: ["iso_a4_210x297mm"])))
        #expect(description.jobTypes == types)
    }

    private static let media: [([String], JobTypes)] = [
        (["iso_a4_210x297mm", "na_letter_8.5x11in"], [.general, .document]),
        (["iso_dl_110x220mm"], [.envelope]), (["na_number-10_4.125x9.5in"], [.envelope]),
        (["jpn_hagaki_100x148mm"], [.postcard]), (["na_index-4x6_4x6in"], [.photo]),
        (["roll_current_80x1000mm"], [.roll, .receipt]), (["roll_max_610x30480mm"], [.roll]),
        (["om_receipt_80x297mm"], [.roll, .receipt]), (["iso_a1_594x841mm"], [.largeFormat]),
        (["oe_shipping-label_4x6in"], [.label]),
        // Nothing that can be read: a printer of pages, as all were.
        ([], [.general, .document]),
        (["custom_min_50x50mm", "nonsense", "x_1xmm", "_infxnanin"], [.general, .document]),
    ]

    @Test(arguments: media)
    func `media tell the job types else`(media: [String], types: JobTypes) {
        var group = printer(IPPAttribute("color-supported", .boolean(true)))
        if !media.isEmpty { group.append(IPPAttribute("media-supported", keywords: media)) }
        #expect(PrinterDescription(group).jobTypes == types)
    }

    @Test func `formats and device ids tell receipt and label printers`() {
        let escPOS = printer(IPPAttribute("document-format-supported", .mimeMediaTypes(["application/vnd.escpos"])))
        #expect(PrinterDescription(escPOS).jobTypes == [.receipt, .roll])
        let zebra = printer(IPPAttribute("printer-device-id", .text("MFG:Zebra;COMMAND SET:ZPL,EPL;MDL:ZD420;")))
        #expect(PrinterDescription(zebra).jobTypes == [.label])
    }

    private static let states: [(Int32, [String], Bool, Availability.State)] = [
        (3, [], true, Availability.State.ready), (4, ["none"], true, .busy), (5, ["media-empty-error"], true, .stopped),
        (3, ["media-low-warning"], true, .attention), (4, ["toner-low-warning"], true, .attention),
        (3, ["wifi-connected-report"], true, .ready), (3, [], false, .stopped),
        (3, ["media-empty"], true, .stopped), (3, ["cover-open-error", "toner-low-warning"], true, .stopped),
        (3, ["connecting-to-device"], true, .attention), (9, [], true, .unknown),
    ]

    @Test(arguments: states)
    func `state and reasons make one availability`(
        state: Int32, reasons: [String], isAccepting: Bool, expected: Availability.State
    ) {
        var group = printer(
            IPPAttribute("printer-state", .enum(state)),
            IPPAttribute("printer-is-accepting-jobs", .boolean(isAccepting)))
        if !reasons.isEmpty { group.append(IPPAttribute("printer-state-reasons", keywords: reasons)) }
        let availability = Availability(group)
        #expect(availability.state == expected)
        #expect(availability.reasons.count == reasons.filter { $0 != "none" }.count)
    }

    private func markers(_ more: IPPAttribute...) -> IPPGroup {
        let group = [
            IPPAttribute("printer-state", .enum(3)), IPPAttribute("marker-names", .names(["Black", "Cyan", "Waste"])),
            IPPAttribute("marker-types", keywords: ["toner", "toner", "waste-toner"]),
            IPPAttribute("marker-colors", .names(["#000000", "#00FFFF", "none"])),
        ]
        return IPPGroup(.printer, group + more)
    }

    @Test func `supplies are read from lists side by side`() {
        let supplies = PrinterDescription(
            markers(
                IPPAttribute("marker-levels", .integers([40, -2, 10])),
                IPPAttribute("marker-low-levels", .integers([5, 5, 0])),
                IPPAttribute("marker-high-levels", .integers([100, 100, 95])))
        ).supplies
        #expect(
            supplies == [
                Supply(name: "Black", type: "toner", color: "#000000", level: 40, lowLevel: 5),
                Supply(name: "Cyan", type: "toner", color: "#00FFFF", lowLevel: 5),
                Supply(name: "Waste", type: "waste-toner", level: 10, lowLevel: 95),
            ])
    }

    private static let markerLists: [([Int32], [Int32], [Int32], Availability.State)] = [
        ([40, 40, 10], [5, 5, 0], [100, 100, 95], .ready), ([5, 40, 10], [5, 5, 0], [100, 100, 95], .attention),
        ([40, 40, 96], [5, 5, 0], [100, 100, 95], .attention), ([40, 4], [5, 5], [], .attention),
        ([1], [], [], .ready), ([], [5], [], .ready), ([1, 2, 3, 4, 5], [5, 5, 5, 5], [1, 2, 3, 4], .attention),
        ([-1, -2, -3], [5, 5, 5], [], .ready), ([.max, .min, 101], [5, 5, 5], [1], .ready),
    ]

    @Test(arguments: markerLists)
    func `a low level asks for attention, whatever the lists' lengths`(
        levels: [Int32], lows: [Int32], highs: [Int32], state: Availability.State
    ) {
        var group = markers()
        if !levels.isEmpty { group.append(IPPAttribute("marker-levels", .integers(levels))) }
        if !lows.isEmpty { group.append(IPPAttribute("marker-low-levels", .integers(lows))) }
        if !highs.isEmpty { group.append(IPPAttribute("marker-high-levels", .integers(highs))) }
        let availability = Availability(group)
        #expect(availability.state == state)
        #expect((availability.message == nil) == (state == .ready))
    }

    @Test func `what the printer says itself counts more than its levels`() {
        var group = markers(
            IPPAttribute("marker-levels", .integers([1, 1, 1])),
            IPPAttribute("marker-low-levels", .integers([5, 5, 5])))
        group.append(IPPAttribute("printer-state-reasons", keywords: ["wifi-connected-report"]))
        #expect(Availability(group).state == .ready)
    }

    @Test func `resolutions are told per inch, whichever unit they come in`() {
        let resolutions: [IPPResolution] = [
            IPPResolution(600, 600), IPPResolution(80, 80, .dotsPerCentimetre), IPPResolution(1200, 600),
            IPPResolution(0, 0), IPPResolution(300, 300, .init(rawValue: 9)),
        ]
        let group = printer(IPPAttribute("printer-resolution-supported", resolutions.map { .resolution($0) }))
        #expect(PrinterDescription(group).resolutions == [203, 600])
    }

    @Test func `a range of sizes that stands among the sizes only gets names`() {
        let size: IPPCollection = [
            IPPAttribute("x-dimension", .rangeOfInteger(IPPRange(5800, 8250))),
            IPPAttribute("y-dimension", .rangeOfInteger(IPPRange(1005, 100_000))),
        ]
        let sizes = IPPAttribute("media-size-supported", .collections([[], size]))
        let names = IPPAttribute("media-supported", keywords: ["iso_a4_210x297mm"])
        #expect(
            PrinterDescription(printer(sizes, names)).media == [
                "iso_a4_210x297mm", "custom_min_58x10.05mm", "custom_max_82.5x1000mm",
            ])
        let said = IPPAttribute("media-supported", keywords: ["custom_min_50x50mm", "custom_max_60x60mm"])
        #expect(PrinterDescription(printer(sizes, said)).media == ["custom_min_50x50mm", "custom_max_60x60mm"])
    }

    @Test(arguments: [
        "job-canceled-at-device", "job-canceled-by-operator", "aborted-by-system", "processing-to-stop-point",
        "job-hold-until-specified", "document-format-error", "vendor-own-reason",
    ])
    func `every reason of a job is told`(reason: String) {
        let group = IPPGroup(
            .job,
            [
                IPPAttribute("job-state", .enum(8)),
                IPPAttribute("job-state-reasons", keywords: ["none", reason, "job-restartable"]),
            ])
        let report = JobReport(group, job: nil)
        #expect(report?.reasons == [reason, "job-restartable"])
        #expect(report?.evidence == .accepted)
    }

    private static let proofs: [(JobState, [String], Evidence)] = [
        (JobState.completed, [], Evidence.printed), (.completed, ["job-completed-successfully"], .printed),
        (.completed, ["queued-in-device"], .accepted), (.completed, ["job-completed-with-errors"], .processed),
        (.processing, [], .accepted), (.canceled, [], .accepted), (.aborted, [], .accepted),
    ]

    @Test(arguments: proofs)
    func `a state proves what RFC 8011 says, and no more`(state: JobState, reasons: [String], evidence: Evidence) {
        #expect(JobReport.evidence(of: state, reasons: reasons) == evidence)
    }

    @Test func `a job's name keeps its id and ends on a character`() {
        let name = JobName.make(
            Delivery(
                jobID: "k1", name: String(repeating: "é", count: 200) + "\n", ticket: Ticket(),
                document: PrintDocument(format: .pdf, body: .bytes([]))))
        #expect(name.hasPrefix("k1 é"))
        #expect((254...255).contains(name.utf8.count))
        #expect(JobName.matches(name, jobID: "k1"))
        #expect(!JobName.matches(name, jobID: "k"))
    }

    @Test(arguments: [(nil, "kiosk"), ("", "kiosk"), (#"SHOP\till"#, "SHOP_till"), ("a\u{7}b", "a b")])
    func `a user's name is one that printers take`(user: String?, expected: String) {
        #expect(UserName.make(user) == expected)
    }
}
