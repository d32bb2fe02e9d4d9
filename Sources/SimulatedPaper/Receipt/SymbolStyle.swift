/// What `GS ( k` has set for each two-dimensional symbology, and the data that waits to be printed.
struct SymbolStyle {
    var qr = QR()
    var pdf417 = PDF417()
    var dataMatrix = DataMatrix()
    var aztec = Aztec()
    var dataBar = DataBar()

    struct QR {
        var isMicro = false
        var module = 3
        /// 1 (L) to 4 (H).
        var level = 1
        var data: [UInt8]?
    }

    struct PDF417 {
        var columns = 0
        var module = 3
        /// A row's height in modules.
        var rowHeight = 3
        var level: Level = .share(1)
        var isTruncated = false
        var data: [UInt8]?

        enum Level {
            /// 0 to 8.
            case fixed(Int)
            /// Tenths of the data.
            case share(Int)
        }

        /// The level for so much data (AIM USS-PDF417: 2 to the power of level + 1 codewords).
        func levelNumber(dataCount: Int) -> Int {
            switch level {
            case .fixed(let level): return level
            case .share(let tenths):
                let codewords = max(1, dataCount * 10 / 17) * tenths / 10
                return (0...8).first { 2 << $0 >= codewords } ?? 8
            }
        }
    }

    struct DataMatrix {
        var isSquare = true
        var module = 3
        var data: [UInt8]?
    }

    struct Aztec {
        var module = 3
        var data: [UInt8]?
    }

    struct DataBar {
        var module = 2
        var kind: MatrixSymbol.Kind?
        var data: [UInt8]?
    }
}
