extension Array where Element == UInt8 {
    init(copying span: Span<UInt8>) {
        self.init()
        reserveCapacity(span.count)
        append(copying: span)
    }

    mutating func append(copying span: Span<UInt8>) {
        for index in span.indices { append(span[index]) }
    }
}
