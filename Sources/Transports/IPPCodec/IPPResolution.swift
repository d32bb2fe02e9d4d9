/// A resolution value (RFC 8011 §5.1.16): cross-feed and feed direction, and a unit.
package struct IPPResolution: Hashable, Sendable, CustomStringConvertible {
    package var crossFeed: Int32
    package var feed: Int32
    package var units: Units

    package struct Units: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let dotsPerInch = Units(rawValue: 3)
        package static let dotsPerCentimetre = Units(rawValue: 4)
    }

    package init(_ crossFeed: Int32, _ feed: Int32, _ units: Units = .dotsPerInch) {
        self.crossFeed = crossFeed
        self.feed = feed
        self.units = units
    }

    /// Both directions in dots per inch; nil when the unit is neither of the two known ones or a figure is not
    /// positive.
    package var dotsPerInch: (crossFeed: Double, feed: Double)? {
        guard crossFeed > 0, feed > 0 else { return nil }
        switch units {
        case .dotsPerInch: return (Double(crossFeed), Double(feed))
        case .dotsPerCentimetre: return (Double(crossFeed) * 2.54, Double(feed) * 2.54)
        default: return nil
        }
    }

    package var description: String {
        let unit =
            switch units {
            case .dotsPerInch: "dpi"
            case .dotsPerCentimetre: "dpcm"
            default: " per unit \(units.rawValue)"
            }
        return crossFeed == feed ? "\(feed)\(unit)" : "\(crossFeed)x\(feed)\(unit)"
    }
}
