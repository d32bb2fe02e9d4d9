import KioskDevicePrinting
import KioskPrintModel
import Testing

/// The data that is sent to a printer after an aborted job.
@Suite struct ResynchroniserTests {
    private static let nuls = [UInt8](repeating: 0, count: 8192)
    private static let cut: [UInt8] = [0x1D, 0x56, 0x42, 0x00]

    @Test func `ESC/POS by padding`() {
        var resynchroniser = Resynchroniser(DeviceSettings(), language: .escPOS)
        #expect(resynchroniser.start() == [.send(Self.nuls + [0x1B, 0x40] + Self.cut), .finished])
        #expect(resynchroniser.start().isEmpty)
    }

    @Test func `ESC/POS by clearing, which is answered`() {
        var resynchroniser = Resynchroniser(
            DeviceSettings(recovery: .clearBuffers, afterCancel: .feed), language: .escPOS)
        #expect(
            resynchroniser.start() == [
                .send([0x10, 0x14, 0x08, 0x01, 0x03, 0x14, 0x01, 0x06, 0x02, 0x08]), .wait(.seconds(2)),
            ])
        #expect(resynchroniser.received(.status(0)).isEmpty)
        #expect(resynchroniser.received(.cleared) == [.send([0x1B, 0x40, 0x1B, 0x64, 0x06]), .finished])
        #expect(resynchroniser.received(.cleared).isEmpty)
        #expect(resynchroniser.timedOut().isEmpty)
    }

    @Test func `clearing that is not answered is followed by padding`() {
        var resynchroniser = Resynchroniser(
            DeviceSettings(recovery: .clearBuffers, afterCancel: .leave), language: .escPOS)
        _ = resynchroniser.start()
        #expect(resynchroniser.timedOut() == [.send(Self.nuls + [0x1B, 0x40]), .finished])
    }

    @Test func `a stuck cutter is recovered from first`() {
        let condition = EscPosAutomaticStatus(0x18, 0x08, 0x00, 0x0F).condition
        var resynchroniser = Resynchroniser(DeviceSettings(), language: .escPOS, condition: condition)
        #expect(resynchroniser.start().first == .send([0x10, 0x05, 0x02]))
    }

    @Test func `Star's is padded, taken out of raster mode and cleared`() {
        var padded = Resynchroniser(DeviceSettings(), language: .starLine)
        #expect(
            padded.start() == [.send(Self.nuls + [0x1B, 0x2A, 0x72, 0x42, 0x1B, 0x40, 0x1B, 0x64, 0x03]), .finished])
        var cleared = Resynchroniser(DeviceSettings(recovery: .clearBuffers, afterCancel: .leave), language: .starLine)
        #expect(cleared.start() == [.send(Self.nuls + [0x18, 0x1B, 0x2A, 0x72, 0x42, 0x1B, 0x40]), .finished])
    }

    @Test(arguments: [(0, 8192), (8193, 8193), (100_000, 100_000), (Int.max, 1 << 20), (-5, 8192)])
    func `as much is padded as may be missing, within reason`(_ missing: Int, _ expected: Int) {
        let settings = DeviceSettings(afterCancel: .leave)
        var resynchroniser = Resynchroniser(settings, language: .escPOS, missing: missing)
        #expect(resynchroniser.start() == [.send([UInt8](repeating: 0, count: expected) + [0x1B, 0x40]), .finished])
    }

    @Test func `a printer of unknown language is sent nothing`() {
        var resynchroniser = Resynchroniser(DeviceSettings(), language: nil)
        #expect(resynchroniser.start() == [.finished])
    }

    @Test(arguments: [(LabelLanguage.zpl, "~JX"), (.epl, "N"), (.tspl, "CLS")])
    func `a label that was begun is thrown away, and nothing else`(_ labels: LabelLanguage, _ command: String) {
        var resynchroniser = Resynchroniser(DeviceSettings(), language: nil, labels: labels, missing: 9000)
        let bytes = [UInt8](repeating: 0, count: 9000) + Array("\r\n\(command)\r\n".utf8)
        #expect(resynchroniser.start() == [.send(bytes), .finished])
        var receipts = Resynchroniser(DeviceSettings(afterCancel: .leave), language: .escPOS, labels: labels)
        #expect(
            receipts.start() == [.send(Self.nuls + [0x1B, 0x40]), .finished], "the language of receipts goes first")
    }

    @Test(
        arguments: [
            ("MFG:Zebra;MDL:GK420d;CMD:ZPL;", LabelLanguage.zpl), ("MFG:Zebra;MDL:LP 2844;CMD:EPL2;", .epl),
            ("MFG:TSC;MDL:TTP-247;CMD:TSPL;", .tspl),
            ("MFG:Zebra;MDL:ZD410;CMD:EPL,ZPL;", nil), ("MFG:A;MDL:B;CMD:DPL;", nil), ("MFG:A;MDL:B;CMD:PCL,PDF;", nil),
        ] as [(String, LabelLanguage?)])
    func `the device id tells the language of labels`(_ id: String, _ expected: LabelLanguage?) {
        #expect(DeviceID(id).labelLanguage == expected)
    }
}
