/// Boxes, circles, lines and pictures of ZPL.
extension LabelPrinter {
    private static let mostStored = 64

    /// Commands that draw without data; nil for others.
    mutating func graphic(_ command: ZPLReader.Command, _ parameters: ZPLParameters) -> CommandOutcome? {
        switch command.name {
        case "^GB":
            let thickness = clamped(parameters.number(2) ?? 1)
            let (width, height) = (
                max(thickness, clamped(parameters.number(0) ?? 1)), max(thickness, clamped(parameters.number(1) ?? 1))
            )
            field.kind = .picture(box(width, height, thickness), isWhite: parameters.letter(3) == "W")
            return "box \(width)×\(height) dots, \(thickness) thick"
        case "^GC":
            let diameter = clamped(parameters.number(0) ?? 3)
            let thickness = clamped(parameters.number(1) ?? 1)
            field.kind = .picture(circle(diameter, thickness), isWhite: parameters.letter(2) == "W")
            return "circle of \(diameter) dots, \(thickness) thick"
        case "^GD":
            let (width, height) = (clamped(parameters.number(0) ?? 3), clamped(parameters.number(1) ?? 3))
            let thickness = clamped(parameters.number(2) ?? 1)
            let leansRight = ["R", "/", nil].contains(parameters.letter(4))
            field.kind = .picture(diagonal(width, height, thickness, leansRight), isWhite: parameters.letter(3) == "W")
            return "diagonal in \(width)×\(height) dots"
        case "^GF": return picture(command.parameters, parameters)
        case "^XG":
            guard let name = parameters.text(0), let picture = stored[Self.plainName(name)] else {
                return .refused("no such picture was stored")
            }
            let scale = (min(max(1, parameters.number(1) ?? 1), 10), min(max(1, parameters.number(2) ?? 1), 10))
            let visible = picture.cropped(width: Self.widest / scale.0, height: Self.tallest / scale.1)
            field.kind = .picture(visible.scaled(scale.0, scale.1), isWhite: false)
            return "\(picture.width)×\(picture.height) dots, each \(scale.0)×\(scale.1)"
        default: return nil
        }
    }

    private func clamped(_ value: Int) -> Int { min(max(1, value), Self.tallest) }

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

    /// `^GFa,b,c,d,data`: form, bytes sent, bytes in all, bytes of a row.
    private mutating func picture(_ bytes: [UInt8], _ parameters: ZPLParameters) -> CommandOutcome {
        guard let total = parameters.text(2).flatMap({ Int($0) }), let stride = parameters.number(3), stride > 0,
            total > 0
        else {
            return .refused("no size")
        }
        let data = Self.afterCommas(4, in: bytes)
        switch parameters.letter(0) {
        case "A":
            guard let picture = ZPLPicture.read(data, total: total, stride: stride) else {
                return .refused("a form of data that isn't read here")
            }
            field.kind = .picture(picture, isWhite: false)
        case "B":
            field.kind = .picture(
                Bitmap(width: stride * 8, height: min(total / stride, Self.tallest), rows: data), isWhite: false)
        default: return .refused("a form of data that isn't read here")
        }
        return "\(stride * 8)×\(total / stride) dots"
    }

    /// `~DGname,bytes,bytes of a row,data`.
    mutating func store(_ bytes: [UInt8]) -> CommandOutcome {
        let parameters = ZPLParameters(bytes)
        guard let name = parameters.text(0), let total = parameters.text(1).flatMap({ Int($0) }),
            let stride = parameters.number(2), stride > 0,
            let picture = ZPLPicture.read(Self.afterCommas(3, in: bytes), total: total, stride: stride)
        else { return .refused("no picture") }
        guard stored.count < Self.mostStored else { return .refused("no room for it") }
        stored[Self.plainName(name)] = picture
        return "keep \(picture.width)×\(picture.height) dots as \(Self.plainName(name))"
    }

    /// Without the drive and the ending that are usual.
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
