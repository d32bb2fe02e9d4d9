/// How characters look, as commands have set it.
struct TextStyle: Hashable, Sendable {
    var font = PrinterFont.a
    var isEmphasized = false
    var isDoubleStruck = false
    /// Its thickness in dots.
    var underline = 0
    var isInverted = false
    /// A quarter turn clockwise, each for itself.
    var isTurned = false
    /// 1 to 8.
    var widthScale = 1
    var heightScale = 1
    /// Dots to the right of each character, before scaling.
    var spacing = 0

    var isBold: Bool { isEmphasized || isDoubleStruck }
}
