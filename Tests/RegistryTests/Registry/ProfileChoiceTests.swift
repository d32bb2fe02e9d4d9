import KioskPrintModel
import Testing

@testable import KioskPrinterRegistry

/// Which of the profiles that ship a printer gets, by what it says of itself.
@Suite struct ProfileChoiceTests {
    private static func library() throws -> ProfileLibrary {
        try ProfileLibrary.load(#filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/profiles")
    }

    private static func choice(_ identity: PrinterIdentity) throws -> String? {
        try library().printing(for: identity)?.profile.name
    }

    /// Ids as printers were seen to give them.
    @Test(
        arguments: [
            ("MFG:EPSON;CMD:ESC/POS;MDL:TM-m30II;CLS:PRINTER;DES:EPSON TM-m30II", "epson-tm-m30"),
            ("MFG:EPSON;CMD:ESC/POS;MDL:TM-T20II;CLS:PRINTER;DESCRIPTION:Receipt Printer;", "epson-tm"),
            ("MFG:EPSON;CMD:ESC/POS;MDL:TM-T88V;CLS:PRINTER;DES:EPSON TM-T88V;CID:EpsonTM00000001;", "epson-tm-180dpi"),
            ("MFG:EPSON;MDL:TM-U220;CMD:ESC/POS;", "epson-tm-u220"),
            ("MFG:EPSON;MDL:TM-P20II;CMD:ESC/POS;", "epson-tm-p20"),
            ("MFG:Star;CMD:STAR;MDL:TSP143 (STR_T-001);CLS:PRINTER;", "star-raster"),
            ("MFG:Star;CMD:STAR;MDL:TSP143IV (STR_T-001);CLS:PRINTER;", "star-prnt"),
            ("MFG:Star;CMD:STAR;MDL:TSP600 (STR_T-U001);CLS:PRINTER;", "star-line"),
            ("MFG:Star;CMD:STAR;MDL:TSP847II (STR_T-001);CLS:PRINTER;", "star-tsp800"),
            ("MFG:Star;CMD:STAR;MDL:FVP10 (STR_T-001);CLS:PRINTER;", "generic-star"),
            ("MFG:CITIZEN;CMD:ESC/POS;MDL:CT-S310II;CLS:PRINTER;", "citizen-ct"),
            ("MFG:Zijiang;MDL:ZJ-58;", "zjiang-58mm"),
            ("MFG:Printer;MDL:POS-80;CMD:ESC/POS;CLS:PRINTER;", "generic-80mm"),
            ("MFG:Printer;MDL:POS-58;CMD:ESC/POS;CLS:PRINTER;", "generic-58mm"),
            ("MFG:Zijiang;MDL:POS-5890;CMD:ESC/POS;", "zjiang-58mm"),
            ("MFG:Zebra ;CMD:None;MDL:LP2844 ;", "zebra-epl"),
            ("MANUFACTURER:Zebra Technologies ;COMMAND SET:EPL;MODEL:ZTC GC420d (EPL);CLASS:PRINTER;", "zebra-epl"),
            (
                "MANUFACTURER:Zebra Technologies ;COMMAND SET:ZPL;MODEL:ZTC ZT230-200dpi ZPL;CLASS:PRINTER;OPTIONS:XML;",
                "zebra-4-inch"
            ),
            (
                "SERN:99J204300180;MANUFACTURER:Zebra Technologies ;COMMAND SET:ZPL;MODEL:ZTC ZT411-300dpi ZPL;CLASS:PRINTER;OPTIONS:XML;",
                "zebra-4-inch-300dpi"
            ),
            ("MFG:Zebra Technologies;CMD:EPL,ZPL;MDL:ZP 505;CLS:PRINTER;", "generic-epl2"),
            ("MFG:TSC;MDL:DA200;CMD:TSPL;", "tsc-4-inch"),
            ("MFG:4BARCODE;CMD:TSPL2;MDL:3B-363B;CLS:PRINTER;", "generic-tspl"),
            ("MFG:Xprinter;CMD:TSPL,ESC/POS;MDL:XP-350B;", "generic-tspl"),
            ("MFG:Munbyn;CMD:TSPL;MDL:RW403B;CMT:Label Printer;", "munbyn-label"),
            ("MFG:Brother;CMD:PT-CBP;MDL:QL-820NWB;", "brother-ql"),
            ("MFG:HP;MDL:LaserJet Pro M428;CMD:PDF,PCL;", nil),
            ("MFG:Canon;MDL:G1030 series;CMD:URF;", nil), ("", nil), ("CMD:;;:ESC/POS", nil),
        ] as [(String, String?)])
    func `by its device id`(_ id: String, _ profile: String?) throws {
        #expect(try Self.choice(PrinterIdentity(deviceID: id)) == profile)
    }

    @Test(
        arguments: [
            ("Star mC-Print2", "star-prnt-58mm"), ("epson tm-t88iii", "epson-tm-t88iii"),
            ("EPSON TM-T88IV", "epson-tm-180dpi-classic"), ("TSC TDP-225", "tsc-2-inch"),
            ("BIXOLON SRP-350III", "bixolon-srp-350iii"), ("Brother QL-820NWB", "brother-ql"),
            ("HP LaserJet MFP M28w", nil),
        ] as [(String, String?)])
    func `by its make and model over IPP`(_ model: String, _ profile: String?) throws {
        #expect(try Self.choice(PrinterIdentity(makeAndModel: model)) == profile)
    }

    @Test func `the profile that the registry names comes before all, where it says what the printer takes`() throws {
        let epson = "MFG:EPSON;CMD:ESC/POS;MDL:TM-T20II;"
        #expect(try Self.choice(PrinterIdentity(profile: "generic-58mm", deviceID: epson)) == "generic-58mm")
        #expect(try Self.choice(PrinterIdentity(profile: "generic-label", deviceID: epson)) == "epson-tm")
        // A gateway's own name does not hide the printer behind it.
        #expect(try Self.choice(PrinterIdentity(makeAndModel: "ACME Gateway", deviceID: epson)) == "epson-tm")
    }

    @Test func `every profile for receipts and labels says where its facts are from, and fits its paper`() throws {
        let profiles = try Self.library().profiles
        var models = 0
        for profile in profiles {
            guard let printing = profile.printing else { continue }
            models += profile.match.count
            #expect(!printing.sources.isEmpty, "\(profile.name)")
            #expect(profile.jobTypes != nil || !profile.match.isEmpty, "\(profile.name)")
            #expect(printing.label != nil || !printing.language.isForLabels, "\(profile.name)")
            if let width = printing.paperWidth {
                #expect(printing.dots * 254 <= width * printing.dpi * 10, "\(profile.name)")
            }
            // No clone may be switched to a page that is not there: where an encoding has a number below 48, that is
            // taken.
            #expect(printing.codePages.isEmpty || printing.codePages[.cp437] != nil, "\(profile.name)")
        }
        #expect(models >= 100)
        for name in [
            "generic-58mm", "generic-80mm", "generic-80mm-180dpi", "generic-text", "generic-ipp-80mm", "generic-zpl",
            "generic-epl2", "generic-tspl", "generic-label-300dpi",
        ] {
            #expect(profiles.first { $0.name == name }?.printing != nil, "\(name)")
        }
    }
}
