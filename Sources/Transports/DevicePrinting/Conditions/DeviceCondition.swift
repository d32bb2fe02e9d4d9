package import PrintModel

/// How a receipt printer is, as far as it has said: the same for ESC/POS, Star and the USB port status.
package struct DeviceCondition: Hashable, Sendable {
    package private(set) var facts: Facts
    /// What was reported on, true or not.
    package private(set) var known: Facts
    /// On the drawer connector's sense pin (pin 3 on Epson's, the compulsion switch on Star's). Which level means open
    /// depends on the drawer's wiring, and without a drawer it means nothing.
    package private(set) var drawerLevel: DeviceSettings.DrawerLevel?

    package struct Facts: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let offline = Facts(rawValue: 1 << 0)
        package static let coverOpen = Facts(rawValue: 1 << 1)
        package static let paperEnd = Facts(rawValue: 1 << 2)
        package static let paperLow = Facts(rawValue: 1 << 3)
        /// Someone holds the feed button.
        package static let feedingByButton = Facts(rawValue: 1 << 4)
        /// Waits for the feed button, or for the host, to go online again.
        package static let waitsForOnline = Facts(rawValue: 1 << 5)
        package static let cutterError = Facts(rawValue: 1 << 6)
        package static let mechanicalError = Facts(rawValue: 1 << 7)
        package static let unrecoverableError = Facts(rawValue: 1 << 8)
        /// An error that goes away by itself: a hot print head; with the cover open, only that.
        package static let recoversByItself = Facts(rawValue: 1 << 9)
        package static let overheated = Facts(rawValue: 1 << 10)
        /// An error, without saying which.
        package static let error = Facts(rawValue: 1 << 11)
        package static let paperJam = Facts(rawValue: 1 << 12)
        package static let markNotFound = Facts(rawValue: 1 << 13)
        package static let headUp = Facts(rawValue: 1 << 14)
        /// Data came faster than it was taken, and some is lost.
        package static let overflow = Facts(rawValue: 1 << 15)

        static let escPos: Facts = [
            .offline, .coverOpen, .paperEnd, .paperLow, .feedingByButton, .waitsForOnline, .cutterError,
            .unrecoverableError,
            .recoversByItself,
        ]
    }

    package init(facts: Facts = [], known: Facts = [], drawerLevel: DeviceSettings.DrawerLevel? = nil) {
        self.facts = facts
        self.known = known.union(facts)
        self.drawerLevel = drawerLevel
    }

    /// Takes over what a newer report says; what it does not report on stays.
    package mutating func merge(_ newer: DeviceCondition) {
        facts = facts.subtracting(newer.known).union(newer.facts)
        known.formUnion(newer.known)
        drawerLevel = newer.drawerLevel ?? drawerLevel
        // "An error" without a name is over when the printer names its errors and has none, or is online again.
        if newer.known.contains(.cutterError),
            newer.facts.isDisjoint(with: [.cutterError, .unrecoverableError, .error])
        {
            facts.remove(.error)
        }
    }
}
