extension SNMPMessage {
    /// Reads a datagram. Octets behind the message are not looked at.
    package init(decoding datagram: [UInt8]) throws(SNMPDecodingError) {
        guard datagram.count <= Self.maximumLength else { throw SNMPDecodingError("it is too long") }
        var outer = BERReader(datagram[...])
        var message = BERReader(try outer.content(BERReader.Tag.sequence))
        guard let version = Version(rawValue: try message.integer()) else {
            throw SNMPDecodingError("a version that is not spoken")
        }
        let community = Array(try message.content(BERReader.Tag.octetString))
        let (tag, content) = try message.element()
        guard let kind = Kind(rawValue: tag), message.isAtEnd else {
            throw SNMPDecodingError("a kind of message that is not read")
        }
        var body = BERReader(content)
        guard let requestID = Int32(exactly: try body.integer()),
            let status = Int32(exactly: try body.integer()), let index = Int32(exactly: try body.integer())
        else { throw SNMPDecodingError("a number that is too large") }
        var list = BERReader(try body.content(BERReader.Tag.sequence))
        guard body.isAtEnd else { throw SNMPDecodingError("something behind the variables") }
        var variables: [Variable] = []
        while !list.isAtEnd {
            guard variables.count < Self.maximumVariables else { throw SNMPDecodingError("too many variables") }
            variables.append(try Variable(decoding: list.content(BERReader.Tag.sequence)))
        }
        self.init(
            version: version, community: community, kind: kind, requestID: requestID,
            errorStatus: ErrorStatus(rawValue: status), errorIndex: Int(index), variables: variables)
    }
}

extension SNMPMessage.Variable {
    fileprivate init(decoding content: ArraySlice<UInt8>) throws(SNMPDecodingError) {
        var reader = BERReader(content)
        let name = try BERReader.name(reader.content(BERReader.Tag.objectIdentifier))
        let element = try reader.element()
        guard reader.isAtEnd else { throw SNMPDecodingError("something behind a value") }
        self.init(name, try SNMPValue(tag: element.tag, element.content))
    }
}

extension SNMPValue {
    fileprivate init(tag: UInt8, _ content: ArraySlice<UInt8>) throws(SNMPDecodingError) {
        if let syntax = Syntax(rawValue: tag) {
            self = .unsigned(syntax, try BERReader.unsigned(content))
            return
        }
        switch tag {
        case BERReader.Tag.integer: self = .integer(try BERReader.integer(content))
        case BERReader.Tag.octetString: self = .octets(Array(content))
        case BERReader.Tag.objectIdentifier: self = .name(try BERReader.name(content))
        case BERReader.Tag.null: self = .null
        case Exception.noSuchObject: self = .noSuchObject
        case Exception.noSuchInstance: self = .noSuchInstance
        case Exception.endOfMibView: self = .endOfMibView
        default: self = .other(tag: tag, Array(content))
        }
    }

    /// The tags of SNMPv2c's exceptions.
    enum Exception {
        static let noSuchObject: UInt8 = 0x80
        static let noSuchInstance: UInt8 = 0x81
        static let endOfMibView: UInt8 = 0x82
    }
}
