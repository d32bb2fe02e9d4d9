/// The variables that printers are asked for: columns of tables, below which each row's index follows.
package enum PrinterMIB {
    // Host Resources MIB (RFC 2790 §4), by the index of the device.
    package static let deviceDescription = hostDevices.appending(2, 1, 3)
    package static let printerStatus = hostDevices.appending(5, 1, 1)
    package static let detectedErrorState = hostDevices.appending(5, 1, 2)

    // Printer MIB (RFC 3805 §6), by the index of the device and, but for the serial number, of what is asked for.
    package static let serialNumber = printer.appending(5, 1, 1, 17)
    package static let trayLevel = printer.appending(8, 2, 1, 10)
    package static let lifeCount = printer.appending(10, 2, 1, 4)
    package static let supplyClass = supply.appending(4)
    package static let supplyType = supply.appending(5)
    package static let supplyDescription = supply.appending(6)
    package static let supplyMaximum = supply.appending(8)
    package static let supplyLevel = supply.appending(9)

    private static let hostDevices = OID([1, 3, 6, 1, 2, 1, 25, 3])
    private static let printer = OID([1, 3, 6, 1, 2, 1, 43])
    private static let supply = printer.appending(11, 1, 1)
}

/// What a printer's agent said, in the terms of its MIBs.
package struct PrinterReport: Hashable, Sendable {
    /// Its `hrDeviceDescr`, the model; cleaned.
    package var model: String?
    /// Its `prtGeneralSerialNumber`; cleaned.
    package var serialNumber: String?
    /// Its `hrPrinterStatus`.
    package var status: Int?
    /// Its `hrPrinterDetectedErrorState`; nil where it gives none.
    package var errorState: DetectedErrorState?
    /// The `prtInputCurrentLevel` of each of its trays; only asked for where one is empty.
    package var trayLevels: [Int] = []
    /// Its `prtMarkerLifeCount`: what its first marker has printed in its life, in units of its own.
    package var lifeCount: Int?
    /// Its supplies, in its order.
    package var supplies: [MarkerSupply] = []

    package init() {}

    /// `hrPrinterStatus` (RFC 2790 §4).
    package static let printing = 4
}

/// The bits of `hrPrinterDetectedErrorState` (RFC 2790 §4, RFC 3805 §2.2.13.2): the first is the highest of the first
/// octet.
package struct DetectedErrorState: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Reads the octets. Older agents send one; what follows the second is not known.
    package init(octets: [UInt8]) {
        self.init(rawValue: UInt16(octets.first ?? 0) << 8 | UInt16(octets.dropFirst().first ?? 0))
    }

    private init(bit: Int) { self.init(rawValue: 0x8000 >> UInt16(bit)) }

    package static let lowPaper = Self(bit: 0)
    package static let noPaper = Self(bit: 1)
    package static let lowToner = Self(bit: 2)
    package static let noToner = Self(bit: 3)
    package static let doorOpen = Self(bit: 4)
    package static let jammed = Self(bit: 5)
    package static let offline = Self(bit: 6)
    package static let serviceRequested = Self(bit: 7)
    package static let inputTrayMissing = Self(bit: 8)
    package static let outputTrayMissing = Self(bit: 9)
    package static let markerSupplyMissing = Self(bit: 10)
    package static let outputNearFull = Self(bit: 11)
    package static let outputFull = Self(bit: 12)
    package static let inputTrayEmpty = Self(bit: 13)
    package static let overduePreventMaint = Self(bit: 14)
}

/// A row of `prtMarkerSuppliesTable` (RFC 3805 §6), as far as it is asked for.
package struct MarkerSupply: Hashable, Sendable {
    /// Its `prtMarkerSuppliesDescription`; cleaned.
    package var description: String?
    /// Its `prtMarkerSuppliesClass`.
    package var supplyClass: Int?
    /// Its `prtMarkerSuppliesType`.
    package var type: Int?
    /// Its `prtMarkerSuppliesMaxCapacity`.
    package var maximum: Int?
    /// Its `prtMarkerSuppliesLevel`.
    package var level: Int?

    package init(
        description: String? = nil, supplyClass: Int? = nil, type: Int? = nil, maximum: Int? = nil, level: Int? = nil
    ) {
        self.description = description
        self.supplyClass = supplyClass
        self.type = type
        self.maximum = maximum
        self.level = level
    }
}
