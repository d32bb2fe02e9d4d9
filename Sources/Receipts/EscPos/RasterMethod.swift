extension EscPosPrinter {
    /// How a printer takes pictures.
    package enum RasterMethod: Hashable, Sendable {
        /// `GS v 0`: rows, printed as they come.
        case rows
        /// `GS ( L`, or `GS 8 L` where a band is large: rows, kept and then printed.
        case graphics
        /// `ESC *`: strips of 24 rows, as older printers have it.
        case strips
    }
}
