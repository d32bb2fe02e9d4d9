import PrintModel

/// What `GET /control` tells scripts.
struct PrinterReport: Encodable {
    struct Job: Encodable {
        var id: Int32
        var name: String
        var state: String
        var reasons: [String]
        var bytes: Int64
    }
    struct Document: Encodable {
        var number: Int
        var jobID: Int32
        var jobName: String
        var format: String
        var path: String
        var bytes: Int64
        var isComplete: Bool
    }
    struct Paper: Encodable {
        var document: Int
        var jobID: Int32
        var jobName: String
        var bytes: Int64
        var isComplete: Bool
    }
    var uri: String
    var state: String
    var reasons: [String]
    var jobs: [Job]
    var documents: [Document]
    var paper: [Paper]

    init(_ core: PrinterCore) {
        let model = core.service.model
        uri = core.service.identity.uri
        state = "\(model.state)"
        reasons = model.condition.reasons
        jobs = model.jobs.map {
            Job(id: $0.id, name: $0.name, state: $0.state.rawValue, reasons: $0.reasons, bytes: $0.bytes)
        }
        documents = core.documents.map {
            Document(
                number: $0.number, jobID: $0.jobID, jobName: $0.jobName, format: $0.format, path: $0.path,
                bytes: $0.bytes, isComplete: $0.isComplete)
        }
        paper = core.paper.map {
            Paper(
                document: $0.document, jobID: $0.jobID, jobName: $0.jobName, bytes: $0.bytes, isComplete: $0.isComplete)
        }
    }
}
