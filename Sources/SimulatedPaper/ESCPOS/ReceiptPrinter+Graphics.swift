/// `GS ( L` and `GS 8 L`: pictures that are kept, and printed later.
extension ReceiptPrinter {
    static let graphicsCommands: [ReceiptCommand] = [
        ReceiptCommand("GS ( L", .block) { $0.graphics($1) },
        ReceiptCommand("GS 8 L", .longBlock) { $0.graphics($1) },
    ]

    private mutating func graphics(_ arguments: CommandArguments) -> CommandOutcome {
        guard arguments[0] == 48 else { return .refused("no such function") }
        switch arguments[1] {
        case 0, 48: return "asks for the size of the NV memory for graphics"
        case 1, 49: return "graphics of \(arguments[2] == 50 ? 180 : 360) dpi"
        case 2, 50: return printPending()
        case 3, 51: return "asks for the free NV memory"
        case 4, 52: return "asks for the free working memory"
        case 64: return "asks for the keys of stored graphics"
        case 65:
            guard Array(arguments.from(2)) == Array("CLR".utf8) else { return .refused("not confirmed") }
            memory.deleteStored()
            return "delete all stored graphics"
        case 66: return delete(memory.delete(key(arguments, 2)), key(arguments, 2))
        case 67, 68: return keep(arguments, isDownload: false)
        case 69: return print(memory.stored[key(arguments, 2)], arguments)
        case 80: return "asks for the keys of downloaded graphics"
        case 81:
            guard Array(arguments.from(2)) == Array("CLR".utf8) else { return .refused("not confirmed") }
            memory.deleteDownloads()
            return "delete all downloaded graphics"
        case 82: return delete(memory.deleteDownload(key(arguments, 2)), key(arguments, 2))
        case 83, 84: return keep(arguments, isDownload: true)
        case 85: return print(memory.downloaded[key(arguments, 2)], arguments)
        case 112, 113: return addPending(arguments)
        default: return .refused("no such function")
        }
    }

    private func key(_ arguments: CommandArguments, _ index: Int) -> GraphicsMemory.Key {
        GraphicsMemory.Key(first: arguments[index], second: arguments[index + 1])
    }

    private func delete(_ wasThere: Bool, _ key: GraphicsMemory.Key) -> CommandOutcome {
        CommandOutcome(
            wasThere ? "delete the picture \(key.name)" : "no picture \(key.name) to delete", isFault: !wasThere)
    }

    /// a bx by c xL xH yL yH d1…dk from index 2 on; function 113 brings columns. Several colours lie over each other.
    private mutating func addPending(_ arguments: CommandArguments) -> CommandOutcome {
        guard [48, 52].contains(arguments[2]), (1...2).contains(arguments[3]), (1...2).contains(arguments[4]) else {
            return .refused("no such tone or size")
        }
        guard takesPicture else { return .refused("amid a line: ignored") }
        guard let picture = picture(arguments, sizeAt: 6, dataAt: 10, isColumns: arguments[1] == 113) else {
            return .refused("the picture's bytes are not as many as its size says")
        }
        let visible = picture.cropped(width: model.width, height: model.longestPaper).scaled(arguments[3], arguments[4])
        var whole = Bitmap(
            width: max(visible.width, memory.pending?.width ?? 0),
            height: max(visible.height, memory.pending?.height ?? 0))
        if let before = memory.pending { whole.draw(before, x: 0, y: 0) }
        whole.draw(visible, x: 0, y: 0)
        memory.pending = whole
        return "keep \(picture.width)×\(picture.height) dots to print, each \(arguments[3])×\(arguments[4])"
    }

    private mutating func printPending() -> CommandOutcome {
        guard let picture = memory.pending else { return .refused("no picture waits to be printed") }
        memory.pending = nil
        guard takesPicture else { return .refused("amid a line: not printed") }
        printPicture(picture)
        return CommandOutcome(
            "print \(picture.width)×\(picture.height) dots"
                + (picture.width > areaWidth ? ", cut off at \(areaWidth)" : ""))
    }

    /// a kc1 kc2 b xL xH yL yH [c d1…dk] for each of b colours, from index 2 on.
    private mutating func keep(_ arguments: CommandArguments, isDownload: Bool) -> CommandOutcome {
        let key = key(arguments, 3)
        guard (32...126).contains(key.first), (32...126).contains(key.second) else { return .refused("no such key") }
        let isColumns = arguments[1] == 68 || arguments[1] == 84
        let (width, height) = (arguments.word(6), arguments.word(8))
        let planeLength = isColumns ? width * ((height + 7) / 8) : (width + 7) / 8 * height
        guard width > 0, height > 0, arguments[5] > 0, arguments.count == 10 + arguments[5] * (planeLength + 1) else {
            return .refused("the picture's bytes are not as many as its size says")
        }
        var picture = Bitmap(width: width, height: height)
        for plane in 0..<arguments[5] {
            let data = arguments.from(11 + plane * (planeLength + 1)).prefix(planeLength)
            picture.draw(Self.picture(width, height, data, isColumns), x: 0, y: 0)
        }
        guard isDownload ? memory.download(picture, as: key) : memory.store(picture, as: key) else {
            return .refused("no room for it")
        }
        return "keep \(width)×\(height) dots as \(key.name)\(isDownload ? " until the printer is initialized" : "")"
    }

    /// kc1 kc2 x y from index 2 on.
    private mutating func print(_ picture: Bitmap?, _ arguments: CommandArguments) -> CommandOutcome {
        guard let picture else { return .refused("no picture \(key(arguments, 2).name) was kept") }
        guard (1...2).contains(arguments[4]), (1...2).contains(arguments[5]) else { return .refused("no such size") }
        guard takesPicture else { return .refused("amid a line: not printed") }
        let visible = picture.cropped(width: model.width, height: model.longestPaper).scaled(arguments[4], arguments[5])
        printPicture(visible)
        return "print \(key(arguments, 2).name): \(visible.width)×\(visible.height) dots"
    }

    private func picture(_ arguments: CommandArguments, sizeAt: Int, dataAt: Int, isColumns: Bool) -> Bitmap? {
        let (width, height) = (arguments.word(sizeAt), arguments.word(sizeAt + 2))
        let length = isColumns ? width * ((height + 7) / 8) : (width + 7) / 8 * height
        guard width > 0, height > 0, arguments.count == dataAt + length else { return nil }
        return Self.picture(width, height, arguments.from(dataAt), isColumns)
    }

    private static func picture(_ width: Int, _ height: Int, _ data: ArraySlice<UInt8>, _ isColumns: Bool) -> Bitmap {
        isColumns
            ? Bitmap(columns: data, bytesPerColumn: (height + 7) / 8).cropped(width: width, height: height)
            : Bitmap(width: width, height: height, rows: data)
    }
}
