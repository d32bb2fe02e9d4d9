/// A collection value (RFC 8010 §3.1.6): member attributes, whose values may be collections again.
package struct IPPCollection: IPPAttributeList, Hashable, Sendable {
    package var attributes: [IPPAttribute]

    package init(_ attributes: [IPPAttribute] = []) {
        self.attributes = attributes
    }
}

extension IPPCollection: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: IPPAttribute...) { self.init(elements) }
}
