import KioskDigests
import KioskIPPCodec
import KioskPrintModel

/// A ticket as one printer is asked for it: the attributes that the printer takes, and the wishes that it does not.
///
/// What a printer does not take is left out, since some printers refuse a whole job over an attribute that they do not
/// know. Nothing is left out silently: each such wish is a remark, or refuses the job where the ticket says so.
struct TicketRequest: Sendable {
    /// Operation attributes of requests that create or validate a job.
    private(set) var operationAttributes: [IPPAttribute] = []
    /// The job template attributes (RFC 8011 §5.2).
    private(set) var jobAttributes: [IPPAttribute] = []
    /// The wishes that the printer does not take, as `sides=two-sided-long-edge`.
    private(set) var unmet: [String] = []
    /// As sentences without a full stop.
    private(set) var remarks: [String] = []

    private let ticket: Ticket
    private let printer: PrinterCapabilities

    /// Throws why the printer cannot have the job at all.
    init(
        _ ticket: Ticket, for printer: PrinterCapabilities, format: DocumentFormat, roll: RollPage?
    ) throws(Refusal) {
        self.ticket = ticket
        self.printer = printer
        addCopies(format)
        add(.sides, "sides", keyword: ticket.sides?.rawValue, usual: Ticket.Sides.oneSided.rawValue)
        addMedia(roll)
        addPageRanges()
        add(.numberUp, "number-up", number: ticket.numberUp, usual: 1)
        add(.orientation, "orientation-requested", enumValue: ticket.orientation.map { ($0.ippEnum, $0.rawValue) }, 3)
        addColorMode()
        add(.quality, "print-quality", enumValue: ticket.quality.map { ($0.ippEnum, $0.rawValue) }, 4)
        add(.outputBin, "output-bin", keyword: ticket.outputBin, usual: "auto")
        add(.scaling, "print-scaling", keyword: ticket.scaling?.rawValue, usual: Ticket.Scaling.auto.rawValue)
        addDocumentHandling()
        add(.pageBorder, "page-border", keyword: ticket.pageBorder?.rawValue, usual: Ticket.PageBorder.none.rawValue)
        add(
            .contentOptimization, "print-content-optimize", keyword: ticket.contentOptimization?.rawValue,
            usual: Ticket.ContentOptimization.auto.rawValue)
        addResolution()
        add(.accountID, "job-account-id", name: ticket.accountID)
        add(.accountingUserID, "job-accounting-user-id", name: ticket.accountingUserID)
        // Here jobs wait in the order of their priority whether or not the printer knows of it.
        if let priority = ticket.priority, printer.accepts("job-priority") {
            jobAttributes.append(IPPAttribute("job-priority", .integer(Int32(clamping: priority))))
        }
        addCut()
        try addPassword()
        if ticket.fidelity == true, !unmet.isEmpty { throw .unmet(unmet) }
        // A printer that ignored the PIN would print at once.
        if ticket.fidelity == true || ticket.jobPassword != nil {
            operationAttributes.insert(IPPAttribute("ipp-attribute-fidelity", .boolean(true)), at: 0)
        }
        if !unmet.isEmpty { remarks.append("the printer takes no \(unmet.joined(separator: ", ")): printed without") }
    }

    /// Throws the names of those attributes without which the printer takes no job (PWG 5100.13 §6.6.5).
    /// `others`: the names of those that every such request has.
    func checkMandatory(besides others: [String]) throws(Refusal) {
        let sent = Set((operationAttributes + jobAttributes).map(\.name) + others)
        let missing = printer.mandatoryJobAttributes.filter { !sent.contains($0) }
        guard missing.isEmpty else { throw .missing(missing) }
    }

    /// Why a printer cannot have a job.
    enum Refusal: Error, Hashable {
        /// It takes no job without these attributes.
        case missing([String])
        /// The ticket forbids to print without these wishes.
        case unmet([String])
        /// It would print at once what waits for a PIN; the rest of a sentence that begins with the printer.
        case password(String)
    }

    // MARK: Wishes

    /// How often the document is to be printed, as one job says it. The engine sends the document again for what one
    /// job cannot say.
    private mutating func addCopies(_ format: DocumentFormat) {
        guard let copies = ticket.copies else { return }
        if copies > 1, copies > printer.copies(of: format) {
            remarks.append(
                "one job makes \(printer.copies(of: format)) of \(copies) copies here: print it again for more")
            guard printer.copies(of: format) > 1 else { return }
        }
        // A raster stream says itself how often to print each page (PWG 5102.4); both would multiply.
        guard !format.isRaster, printer.accepts("copies") else { return }
        let number = min(copies, printer.copies(of: format))
        jobAttributes.append(IPPAttribute("copies", .integer(Int32(clamping: number))))
    }

    private mutating func add(_ key: Ticket.CodingKeys, _ name: String, keyword: String?, usual: String) {
        guard let keyword else { return }
        if printer.accepts(name, keyword: keyword) {
            jobAttributes.append(IPPAttribute(name, keyword: keyword))
        } else if keyword != usual {
            miss(key, keyword)
        }
    }

    private mutating func add(_ key: Ticket.CodingKeys, _ name: String, number: Int?, usual: Int) {
        guard let number else { return }
        if printer.accepts(name, integer: Int32(clamping: number)) {
            jobAttributes.append(IPPAttribute(name, .integer(Int32(clamping: number))))
        } else if number != usual {
            miss(key, "\(number)")
        }
    }

    private mutating func add(
        _ key: Ticket.CodingKeys, _ name: String, enumValue: (number: Int32, keyword: String)?, _ usual: Int32
    ) {
        guard let (number, keyword) = enumValue else { return }
        if printer.accepts(name, number: number) {
            jobAttributes.append(IPPAttribute(name, .enum(number)))
        } else if number != usual {
            miss(key, keyword)
        }
    }

    private mutating func add(_ key: Ticket.CodingKeys, _ name: String, name value: String?) {
        guard let value else { return }
        if printer.accepts(name) {
            jobAttributes.append(IPPAttribute(name, .name(IPPText(value))))
        } else {
            miss(key, value)
        }
    }

    private mutating func addColorMode() {
        guard let mode = ticket.colorMode else { return }
        // A printer without colours has no other mode.
        let isMet = mode == .auto || mode == .monochrome && printer.hasColor == false
        if printer.accepts("print-color-mode", keyword: mode.rawValue) {
            jobAttributes.append(IPPAttribute("print-color-mode", keyword: mode.rawValue))
        } else if !isMet {
            miss(.colorMode, mode.rawValue)
        }
    }

    private mutating func addDocumentHandling() {
        guard let handling = ticket.documentHandling else { return }
        if printer.accepts("multiple-document-handling", keyword: handling.rawValue) {
            jobAttributes.append(IPPAttribute("multiple-document-handling", keyword: handling.rawValue))
        } else if handling == .uncollatedCopies {
            // All other values are what every printer does with one document.
            miss(.documentHandling, handling.rawValue)
        }
    }

    private mutating func addResolution() {
        guard let resolution = ticket.resolution else { return }
        guard printer.accepts(resolution: resolution) else { return miss(.resolution, "\(resolution)dpi") }
        let dpi = Int32(clamping: resolution)
        jobAttributes.append(IPPAttribute("printer-resolution", .resolution(IPPResolution(dpi, dpi))))
    }

    private mutating func addPageRanges() {
        guard let ranges = ticket.pageRanges else { return }
        guard printer.accepts("page-ranges") else {
            return miss(.pageRanges, ranges.map(\.description).joined(separator: ","))
        }
        let values = ranges.map {
            IPPValue.rangeOfInteger(IPPRange(Int32(clamping: $0.first), Int32(clamping: $0.last)))
        }
        jobAttributes.append(IPPAttribute("page-ranges", values))
    }

    /// The paper: a name alone goes as `media`, whatever else it is asked for goes as `media-col` (PWG 5100.7 §6.3).
    private mutating func addMedia(_ page: RollPage?) {
        // A medium that somebody chose comes before the roll's size.
        let roll = ticket.media == nil ? page.map { printer.media(for: $0) } : nil
        if let remark = roll?.remark { remarks.append(remark) }
        var attribute = roll?.attribute
        if let media = ticket.media {
            attribute = printer.media(media)
            if attribute == nil { miss(.media, media) }
        }
        var members: [IPPAttribute] = []
        for (key, name, value) in [
            (Ticket.CodingKeys.mediaSource, "media-source", ticket.mediaSource),
            (.mediaType, "media-type", ticket.mediaType),
        ] {
            guard let value else { continue }
            if printer.acceptsMediaMember(name, keyword: value) {
                members.append(IPPAttribute(name, keyword: value))
            } else if value != "auto" {
                miss(key, value)
            }
        }
        if !members.isEmpty {
            guard let base = Self.collection(attribute) else {
                // Its size has no number, and a job cannot have both attributes.
                for member in members {
                    miss(member.name == "media-source" ? .mediaSource : .mediaType, member.values[0].string ?? "")
                }
                if let attribute { jobAttributes.append(attribute) }
                return
            }
            attribute = IPPAttribute("media-col", .collection(IPPCollection(base + members)))
        }
        if let attribute { jobAttributes.append(attribute) }
    }

    /// The members of a `media-col` that asks for the same; nil where that cannot be said with one.
    private static func collection(_ attribute: IPPAttribute?) -> [IPPAttribute]? {
        guard let attribute else { return [] }
        if let collection = attribute.values.first?.collection { return collection.attributes }
        guard let name = attribute.values.first?.string, let size = PWGMediaSize(mediaName: name),
            let width = Int32(exactly: (size.width * 100).rounded()),
            let height = Int32(exactly: (size.height * 100).rounded())
        else { return nil }
        let dimensions: IPPCollection = [
            IPPAttribute("x-dimension", .integer(width)), IPPAttribute("y-dimension", .integer(height)),
        ]
        return [IPPAttribute("media-size", .collection(dimensions))]
    }

    private mutating func addCut() {
        guard let cut = ticket.cut else { return }
        if let finishing = cut.attribute(for: printer) {
            jobAttributes.append(finishing)
        } else if cut != Ticket.Cut.none {
            miss(.cut, cut.rawValue)
        }
    }

    private mutating func miss(_ key: Ticket.CodingKeys, _ value: String) {
        unmet.append("\(key.rawValue)=\(value.cleaned)")
    }

    // MARK: PIN

    /// PWG 5100.11 §5.1.15: the PIN itself, or its digest.
    private mutating func addPassword() throws(Refusal) {
        guard let password = ticket.jobPassword else {
            // The PIN was stored until the job ended, and is not known any more.
            guard ticket.jobPasswordEncryption == nil else {
                throw .password("would print at once, since the job's PIN is no longer stored")
            }
            return
        }
        guard let limit = printer.maximumPasswordLength, limit > 0 else {
            throw .password("takes no job-password, and would print at once")
        }
        guard password.reveal().utf8.count <= limit else {
            throw .password("takes no job-password longer than \(limit) bytes")
        }
        let listed = printer.passwordEncryptions
        let chosen = ticket.jobPasswordEncryption.flatMap { $0 == Ticket.anyEncryption ? nil : $0 }
        let usable = chosen.map { [$0] } ?? Self.encryptions
        guard let encryption = usable.first(where: { listed.contains($0) && Self.encryptions.contains($0) }) else {
            throw .password(
                "takes job-password-encryption \(listed.isEmpty ? "in no way that it lists" : listed.joined(separator: ", ")) only, of which \(Self.encryptions.joined(separator: ", ")) are supported"
            )
        }
        var octets = Array(password.reveal().utf8)
        if let algorithm = Self.algorithm(encryption) {
            do throws(DigestError) {
                let digest = try MessageDigest(algorithm)
                digest.update(octets)
                octets = digest.finish()
            } catch {
                throw .password("needs the job-password as \(encryption): \(error.message)")
            }
        }
        operationAttributes.append(IPPAttribute("job-password", .octetString(octets)))
        operationAttributes.append(IPPAttribute("job-password-encryption", keyword: encryption))
    }

    /// The keywords of PWG 5100.11 §5.1.16 that are supported, in the order of preference.
    private static let encryptions = ["sha2-256", "none", "md5"]

    private static func algorithm(_ encryption: String) -> MessageDigest.Algorithm? {
        switch encryption {
        case "sha2-256": .sha256
        case "md5": .md5
        default: nil
        }
    }
}

extension TransportError {
    /// Says why a printer gets no job with this ticket, and what to do.
    init(_ refusal: TicketRequest.Refusal, printer: PrinterURL) {
        let reason =
            switch refusal {
            case .missing(let names):
                "the printer takes no job without \(names.map(\.cleaned).joined(separator: ", ")); add them to the ticket, or to the role's defaults"
            case .unmet(let wishes):
                "the printer takes no \(wishes.joined(separator: ", ")), and the ticket asks for fidelity; print without them, or without fidelity"
            case .password(let reason):
                "the printer \(reason); send the job without it, or to a printer with PIN release"
            }
        self.init(.jobRefused, operation: "Print-Job", message: "\(printer): \(reason)")
    }
}

extension IPPResponse {
    /// What the printer says of attributes that it did not take as they were sent, as sentences without a full stop
    /// (RFC 8011 §4.1.7, Appendix B.1.2). `sent`: the names of those in the request.
    func remarks(sent: [String]) -> [String] {
        guard message.status.isSuccess else { return [] }
        let names = unsupported.filter(sent.contains)
        let list = names.prefix(Self.maximumNames).map(\.cleaned).joined(separator: ", ")
        switch message.status {
        case .successfulOkConflictingAttributes:
            return [
                "the printer changed attributes of the job that conflict\(list.isEmpty ? ", without naming them" : ": \(list)")"
            ]
        case .successfulOkIgnoredOrSubstitutedAttributes:
            return [
                "the printer ignored or replaced attributes of the job\(list.isEmpty ? ", without naming them" : ": \(list)")"
            ]
        default: return list.isEmpty ? [] : ["the printer ignored or replaced attributes of the job: \(list)"]
        }
    }

    private static let maximumNames = 20
}

extension DocumentFormat {
    /// Whether it is a stream of pixels, of which a printer makes no copies by itself (PWG 5102.4).
    var isRaster: Bool { self == .pwgRaster || self == .appleRaster }
}

extension Ticket.Cut {
    /// The `finishings` or `finishings-col`. PWG 5100.1 says when to cut and not how deep, so partial and full are the
    /// same here. Nil where the printer lists no cut.
    fileprivate func attribute(for printer: PrinterCapabilities) -> IPPAttribute? {
        switch self {
        case .none:
            guard printer.firstListed("finishings", Self.cuts) != nil else { return nil }
            return IPPAttribute("finishings", .enum(Self.noFinishing))
        case .partial, .full:
            if let number = printer.firstListed("finishings", Self.cuts) {
                return IPPAttribute("finishings", .enum(number))
            }
            return printer.template(Self.templates).map { template in
                IPPAttribute("finishings-col", .collection([IPPAttribute("finishing-template", keyword: template)]))
            }
        }
    }

    /// `none` of RFC 8011 §5.2.6.
    private static let noFinishing: Int32 = 3
    /// trim-after-job, trim-after-documents, trim-after-copies, trim: PWG 5100.1 §6.1.
    private static let cuts: [Int32] = [63, 61, 62, 11]
    private static let templates = ["trim-after-job", "trim-after-documents", "trim-after-copies", "trim"]
}

extension Ticket.Orientation {
    /// RFC 8011 §5.2.10.
    fileprivate var ippEnum: Int32 {
        switch self {
        case .portrait: 3
        case .landscape: 4
        case .reverseLandscape: 5
        case .reversePortrait: 6
        }
    }
}

extension Ticket.Quality {
    /// RFC 8011 §5.2.13.
    fileprivate var ippEnum: Int32 {
        switch self {
        case .draft: 3
        case .normal: 4
        case .high: 5
        }
    }
}
