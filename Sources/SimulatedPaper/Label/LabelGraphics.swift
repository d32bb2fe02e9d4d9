/// The boxes, circles, lines and pictures of ZPL, and the stored pictures.
struct LabelGraphics {
    /// The pictures of `~DG`, which last until the printer is switched off.
    private var stored: [String: Bitmap] = [:]

    private static let maximumStored = 64

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
            return (
                .picture(box(width, height, thickness), isWhite: parameters.letter(3) == "W"),
                "box \(width)×\(height) dots, \(thickness) thick"
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
        case "^GF": return picture(command.parameters, parameters)
        case "^XG":
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
        _ bytes: [UInt8], _ parameters: ZPLParameters
    ) -> (kind: LabelField.Kind?, outcome: CommandOutcome) {
        guard let total = parameters.text(2).flatMap({ Int($0) }), let stride = parameters.number(3), stride > 0,
            total > 0
        else {
            return (nil, .refused("no size"))
        }
        let data = Self.afterCommas(4, in: bytes)
        let outcome: CommandOutcome = "\(stride * 8)×\(total / stride) dots"
        switch parameters.letter(0) {
        case "A":
            guard let picture = ZPLPicture.read(data, total: total, stride: stride) else {
                return (nil, .refused("a form of data that isn't read here"))
            }
            return (.picture(picture, isWhite: false), outcome)
        case "B":
            let picture = Bitmap(width: stride * 8, height: min(total / stride, ZPLPrinter.maximumHeight), rows: data)
            return (.picture(picture, isWhite: false), outcome)
        default: return (nil, .refused("a form of data that isn't read here"))
        }
    }

    /// Stores a picture: `~DGname,bytes,bytes of a row,data`.
    mutating func store(_ bytes: [UInt8]) -> CommandOutcome {
        let parameters = ZPLParameters(bytes)
        guard let name = parameters.text(0), let total = parameters.text(1).flatMap({ Int($0) }),
            let stride = parameters.number(2), stride > 0,
            let picture = ZPLPicture.read(Self.afterCommas(3, in: bytes), total: total, stride: stride)
        else { return .refused("no picture") }
        guard stored.count < Self.maximumStored else { return .refused("no room for it") }
        stored[Self.plainName(name)] = picture
        return "keep \(picture.width)×\(picture.height) dots as \(Self.plainName(name))"
    }

    /// The name without its drive and extension.
    private static func plainName(_ name: String) -> String {
        var name = name.uppercased()
        if let colon = name.firstIndex(of: ":") { name = String(name[name.index(after: colon)...]) }
        return name.hasSuffix(".GRF") ? String(name.dropLast(4)) : name
    }

    private static func afterCommas(_ count: Int, in bytes: [UInt8]) -> ArraySlice<UInt8> {
        var rest = bytes[...]
        for _ in 0..<count {
            guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else { return [] }
            rest = rest[(comma + 1)...]
        }
        return rest
    }
}
