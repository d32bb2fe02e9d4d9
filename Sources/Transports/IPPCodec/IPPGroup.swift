/// An attribute group: its tag and its attributes in their order. May be empty (RFC 8010 §3.1.2).
package struct IPPGroup: IPPAttributeList, Hashable, Sendable {
    package var tag: IPPGroupTag
    package var attributes: [IPPAttribute]

    package init(_ tag: IPPGroupTag, _ attributes: [IPPAttribute] = []) {
        self.tag = tag
        self.attributes = attributes
    }
}
