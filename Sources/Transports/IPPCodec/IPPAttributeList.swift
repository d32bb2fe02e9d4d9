/// Attributes in their order on the wire: a group or a collection.
package protocol IPPAttributeList {
    var attributes: [IPPAttribute] { get set }
}

extension IPPAttributeList {
    /// The first attribute of this name. Setting replaces it where it stands, or adds it at the end; nil removes it.
    package subscript(name: String) -> IPPAttribute? {
        get { attributes.first { $0.name == name } }
        set {
            let index = attributes.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let attribute?): attributes[index] = attribute
            case (let index?, nil): attributes.remove(at: index)
            case (nil, let attribute?): attributes.append(attribute)
            case (nil, nil): break
            }
        }
    }

    package mutating func append(_ attribute: IPPAttribute) {
        attributes.append(attribute)
    }
}
