/// The boxes, circles, lines and pictures of ZPL, and the stored pictures.
struct LabelGraphics {
    /// The pictures of `~DG`, which last until the printer is switched off.
    private var stored: [String: Bitmap] = [:]
    private let unpacker: any DataUnpacker

    private static let maximumStored = 64

    init(_ unpacker: any DataUnpacker) { self.unpacker = unpacker }

    /// Draws the picture of a command without field data. Returns nil for other commands, and no field where the
    /// command is refused.
    func draw(
        _ command: ZPLReader.Command, _ parameters: ZPLParameters
    ) -> (kind: LabelField.Kind?, outcome: CommandOutcome)? {
        switch command.name {
        case "^GB":
            let thickness = clamped(parameters.number(2) ?? 1)
            let (width, height) = (
                max(thickness, clamped(parameters.number(0) ?? 1)), max(thickness, clamped(parameters.number(1) ?? 1))
            )
            let rounding = min(max(0, parameters.number(4) ?? 0), 8)
            // Eighths of half the shorter side (ZPL II Programming Guide, ^GB).
            let radius = rounding * min(width, height) / 16
            let picture =
                radius == 0
                ? box(width, height, thickness)
                : LabelShape.ring(width, height, thickness) { LabelShape.inset($0, $1, radius: max(0, radius - $2)) }
            return (
                .picture(picture, isWhite: parameters.letter(3) == "W"),
                "box \(width)×\(height) dots, \(thickness) thick\(radius == 0 ? "" : ", corners of \(radius) dots")"
            )
        case "^GE":
            let thickness = clamped(parameters.number(2) ?? 1)
            let (width, height) = (
                max(3, clamped(parameters.number(0) ?? thickness)), max(3, clamped(parameters.number(1) ?? thickness))
            )
            return (
                .picture(
                    LabelShape.ring(width, height, thickness) { row, size, _ in LabelShape.ellipseInset(row, size) },
                    isWhite: parameters.letter(3) == "W"),
                "ellipse \(width)×\(height) dots, \(thickness) thick"
            )
        case "^GC":
            let diameter = clamped(parameters.number(0) ?? 3)
            let thickness = clamped(parameters.number(1) ?? 1)
            return (
                .picture(circle(diameter, thickness), isWhite: parameters.letter(2) == "W"),
                "circle of \(diameter) dots, \(thickness) thick"
            )
        case "^GD":
            let (width, height) = (clamped(parameters.number(0) ?? 3), clamped(parameters.number(1) ?? 3))
            let thickness = clamped(parameters.number(2) ?? 1)
            let leansRight = ["R", "/", nil].contains(parameters.letter(4))
            return (
                .picture(diagonal(width, height, thickness, leansRight), isWhite: parameters.letter(3) == "W"),
                "diagonal in \(width)×\(height) dots"
            )
        case "^GF": return picture(command, parameters)
        case "^XG", "^IM":
            guard let name = parameters.text(0), let picture = stored[Self.plainName(name)] else {
                return (nil, .refused("no such picture was stored"))
            }
            let scale = (min(max(1, parameters.number(1) ?? 1), 10), min(max(1, parameters.number(2) ?? 1), 10))
            let visible = picture.cropped(
                width: ZPLPrinter.maximumWidth / scale.0, height: ZPLPrinter.maximumHeight / scale.1)
            return (
                .picture(visible.scaled(scale.0, scale.1), isWhite: false),
                "\(picture.width)×\(picture.height) dots, each \(scale.0)×\(scale.1)"
            )
        default: return nil
        }
    }

    private func clamped(_ value: Int) -> Int { min(max(1, value), ZPLPrinter.maximumHeight) }

    private func box(_ width: Int, _ height: Int, _ thickness: Int) -> Bitmap {
        var picture = Bitmap(width: width, height: height)
        picture.fill(x: 0, y: 0, width: width, height: min(thickness, height))
        picture.fill(x: 0, y: height - thickness, width: width, height: thickness)
        picture.fill(x: 0, y: 0, width: min(thickness, width), height: height)
        picture.fill(x: width - thickness, y: 0, width: thickness, height: height)
        return picture
    }

    private func circle(_ diameter: Int, _ thickness: Int) -> Bitmap {
        var picture = Bitmap(width: diameter, height: diameter)
        let inner = max(0, diameter - 2 * thickness)
        for y in 0..<diameter {
            // Half the chords of the outer and the inner circle, in half dots.
            let away = 2 * y + 1 - diameter
            let outside = Int(Double(diameter * diameter - away * away).squareRoot())
            let inside = Int(Double(max(0, inner * inner - away * away)).squareRoot())
            let left = (diameter - outside) / 2
            let width = (outside - inside + 1) / 2
            picture.fill(x: left, y: y, width: width, height: 1)
            picture.fill(x: diameter - left - width, y: y, width: width, height: 1)
        }
        return picture
    }

    private func diagonal(_ width: Int, _ height: Int, _ thickness: Int, _ leansRight: Bool) -> Bitmap {
        var picture = Bitmap(width: width, height: height)
        for y in 0..<height {
            let along = y * max(0, width - thickness) / max(1, height - 1)
            picture.fill(x: leansRight ? width - thickness - along : along, y: y, width: thickness, height: 1)
        }
        return picture
    }

    /// Reads a picture: `^GFa,b,c,d,data` are the format, bytes sent, bytes in all, bytes of a row.
    private func picture(
        _ command: ZPLReader.Command, _ parameters: ZPLParameters
    ) -> (kind: LabelField.Kind?, outcome: CommandOutcome) {
        guard let total = parameters.size(2), let stride = parameters.number(3), stride > 0, total > 0 else {
            return (nil, .refused("no size"))
        }
        let data = Self.afterDelimiters(4, in: command)
        let outcome: CommandOutcome = "\(stride * 8)×\(total / stride) dots"
        switch parameters.letter(0) {
        case "A":
            guard let picture = ZPLPicture.read(data, total: total, stride: stride, unpacker) else {
                return (nil, .refused("the data is damaged, or in a form that isn't read here"))
            }
            return (.picture(picture, isWhite: false), outcome)
        case "B":
            let picture = Bitmap(width: stride * 8, height: min(total / stride, ZPLPrinter.maximumHeight), rows: data)
            return (.picture(picture, isWhite: false), outcome)
        default: return (nil, .refused("a form of data that isn't read here"))
        }
    }

    /// Stores a picture: `~DGname,bytes,bytes of a row,data`.
    mutating func store(_ command: ZPLReader.Command) -> CommandOutcome {
        let parameters = ZPLParameters(command)
        guard let name = parameters.text(0), let total = parameters.size(1), let stride = parameters.number(2),
            stride > 0,
            let picture = ZPLPicture.read(
                Self.afterDelimiters(3, in: command), total: total, stride: stride, unpacker)
        else { return .refused("no picture, or a damaged one") }
        guard stored.count < Self.maximumStored else { return .refused("no room for it") }
        stored[Self.plainName(name)] = picture
        return "keep \(picture.width)×\(picture.height) dots as \(Self.plainName(name))"
    }

    /// Deletes a picture (`^ID`); false where there is none of that name.
    mutating func delete(_ name: String) -> Bool { stored.removeValue(forKey: Self.plainName(name)) != nil }

    /// The name without its drive and extension.
    private static func plainName(_ name: String) -> String {
        var name = name.uppercased()
        if let colon = name.firstIndex(of: ":") { name = String(name[name.index(after: colon)...]) }
        return name.hasSuffix(".GRF") ? String(name.dropLast(4)) : name
    }

    private static func afterDelimiters(_ count: Int, in command: ZPLReader.Command) -> ArraySlice<UInt8> {
        var rest = command.parameters[...]
        for _ in 0..<count {
            guard let delimiter = rest.firstIndex(of: command.delimiter) else { return [] }
            rest = rest[(delimiter + 1)...]
        }
        return rest
    }
}

/// Shapes as rows of dots between two edges.
enum LabelShape {
    /// The outline of a shape: the shape, less one that is smaller by the thickness on each side. `inset` gives the dots
    /// at the left and the right of a row that stay white: for the row, the size, and the distance from the outer edge.
    static func ring(
        _ width: Int, _ height: Int, _ thickness: Int,
        inset: (_ row: Int, _ size: (width: Int, height: Int), _ distance: Int) -> Int
    ) -> Bitmap {
        func shape(_ width: Int, _ height: Int, _ distance: Int) -> Bitmap {
            var picture = Bitmap(width: width, height: height)
            for row in 0..<height {
                let edge = inset(row, (width, height), distance)
                picture.fill(x: edge, y: row, width: width - 2 * edge, height: 1)
            }
            return picture
        }
        var picture = shape(width, height, 0)
        if width > 2 * thickness, height > 2 * thickness {
            let inner = shape(width - 2 * thickness, height - 2 * thickness, thickness)
            picture.draw(inner, x: thickness, y: thickness, .white)
        }
        return picture
    }

    /// The inset of a row in a rectangle with round corners.
    static func inset(_ row: Int, _ size: (width: Int, height: Int), radius: Int) -> Int {
        let fromEdge = min(row, size.height - 1 - row)
        guard fromEdge < radius else { return 0 }
        let away = Double(radius - fromEdge) - 0.5
        return radius - Int((Double(radius * radius) - away * away).squareRoot().rounded())
    }

    /// The inset of a row in an ellipse that fills the rectangle.
    static func ellipseInset(_ row: Int, _ size: (width: Int, height: Int)) -> Int {
        let (across, down) = (Double(size.width) / 2, Double(size.height) / 2)
        let away = (Double(row) + 0.5 - down) / down
        return Int((across - across * (1 - away * away).squareRoot()).rounded())
    }
}
