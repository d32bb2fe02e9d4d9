extension USBPrinter {
    /// What an interface shall be used for.
    package enum Use: Hashable, Sendable {
        /// Documents as they are; the back-channel where there is one.
        case raw
        /// HTTP (protocol 4). A printer has several such interfaces, one for each exchange at a time.
        case ippOverUSB
    }

    package typealias Choice = (interface: USBPrinterInterface, alternate: USBAlternate)

    /// The interface and alternate setting for a use: the one with a back-channel before the one without, and the
    /// printer class before the vendor's. `interface` says which, where the URL does.
    package func choice(for use: Use, interface number: Int? = nil) -> Choice? {
        choices(for: use, interface: number).first
    }

    /// All of them, the best first; of each interface one.
    package func choices(for use: Use, interface number: Int? = nil) -> [Choice] {
        interfaces.filter { number == nil || $0.number == number }
            .compactMap { interface -> (choice: Choice, rank: Int)? in
                let ranked = interface.alternates.compactMap { alternate in
                    Self.rank(alternate, for: use).map { (alternate, $0) }
                }
                guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
                return ((interface, best.0), best.1)
            }
            .sorted { ($0.rank, $0.choice.interface.number) < ($1.rank, $1.choice.interface.number) }
            .map(\.choice)
    }

    /// Less is better.
    private static func rank(_ alternate: USBAlternate, for use: Use) -> Int? {
        switch (use, alternate.kind) {
        case (.raw, .bidirectional): alternate.in != nil ? 0 : 1
        case (.raw, .unidirectional): 2
        case (.raw, .vendor): 3
        case (.ippOverUSB, .ippOverUSB): alternate.in != nil ? 0 : nil
        default: nil
        }
    }
}
