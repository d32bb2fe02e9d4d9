import KioskSimulatedPaper

extension Bitmap {
    /// In words; nil where there is none.
    func difference(from other: Bitmap) -> String? {
        guard self != other else { return nil }
        let row = (0..<max(height, other.height)).first { self.row($0) != other.row($0) }
        return "\(width)×\(height) and \(other.width)×\(other.height), not the same from row \(row ?? 0) on"
    }

    /// With white around it, as readers of codes and letters want it.
    var framed: Bitmap {
        var framed = Bitmap(width: width + 64, height: height + 64)
        framed.draw(self, x: 32, y: 32)
        return framed
    }
}
