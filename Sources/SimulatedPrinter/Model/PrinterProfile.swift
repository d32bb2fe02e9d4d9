/// What a kind of printer is and can do: the facts behind its attributes.
struct PrinterProfile: Sendable {
    var make: String
    var model: String
    /// PWG 5100.13 `printer-kind`.
    var kinds: [String]
    /// The first is the default.
    var formats: [String]
    /// The first is the default and loaded.
    var media: [MediaSize]
    var mediaSource: String
    var mediaTypes: [String]
    /// Hundredths of a millimetre on every edge.
    var margin: Int32
    var isColor = false
    var sides = ["one-sided"]
    /// Dots per inch; the first is the default.
    var resolutions: [Int32]
    var rasterTypes: [String]
    var outputBin: String
    /// `finishings` enums of PWG 5100.1: 3 none, 60 trim-after-pages, 63 trim-after-job.
    var finishings: [Int32] = [3]
    var commandSet: String
    var pagesPerMinute: Int32
    var supply: (type: String, description: String)
    /// Characters in a line of text; nil for sheet printers.
    var columns: Int?
    /// A roll: paper comes out as the bytes arrive.
    var printsWhileReceiving: Bool { columns != nil }

    var makeAndModel: String { "\(make) \(model)" }
    /// IEEE 1284, as USB and IPP both give it.
    var deviceID: String { "MFG:\(make);MDL:\(model);CMD:\(commandSet);CLS:PRINTER;DES:\(makeAndModel);" }
}
