import GRDB

/// The tables of the queue's database, made by migrations that are never edited once released.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: jobs, documents, printers") { db in
            try db.execute(sql: first)
        }
        migrator.registerMigration("2: digests of documents") { db in
            try db.execute(sql: "ALTER TABLE job ADD COLUMN document_digest TEXT")
        }
        migrator.registerMigration("3: kept documents, origins, timelines") { db in
            try db.execute(sql: history)
        }
        migrator.registerMigration("4: groups of copies") { db in
            try db.execute(sql: "ALTER TABLE job ADD COLUMN job_group TEXT")
        }
        migrator.registerMigration("5: copies of what may be on paper, remarks on documents") { db in
            try db.execute(sql: "ALTER TABLE job ADD COLUMN is_copy INTEGER NOT NULL DEFAULT 0")
            try db.execute(sql: "ALTER TABLE job ADD COLUMN remarks TEXT")
        }
        migrator.registerMigration("6: owners of jobs") { db in
            try db.execute(sql: "ALTER TABLE job ADD COLUMN owner INTEGER")
        }
        migrator.registerMigration("7: fewer pages for a receipt") { db in
            try db.execute(sql: fewerPages)
        }
        migrator.registerMigration("8: copies that are made one by one") { db in
            try db.execute(sql: "ALTER TABLE job ADD COLUMN copies_made TEXT")
        }
        migrator.registerMigration("9: pauses before jobs are printed again") { db in
            try db.execute(sql: "ALTER TABLE job ADD COLUMN not_before INTEGER")
        }
        migrator.registerMigration("10: pages of documents") { db in
            try db.execute(sql: "ALTER TABLE job ADD COLUMN pages INTEGER")
        }
        migrator.registerMigration("11: ids of requests") { db in
            try db.execute(sql: "ALTER TABLE job ADD COLUMN request_id TEXT")
        }
        return migrator
    }

    /// The version of the tables: the number of the last migration.
    static var version: Int { migrator.migrations.count }

    /// Whether the queue has every migration. Throws for one that a newer version has written, and for a list of
    /// migrations that is damaged: one would be repeated.
    static func isCurrent(_ db: Database, of path: String) throws -> Bool {
        let (applied, known) = (try migrator.appliedIdentifiers(db), migrator.migrations)
        let isCurrent = known.allSatisfy(applied.contains)
        guard !applied.isSubset(of: known) else { return isCurrent }
        guard isCurrent else { throw EngineError.damagedRow("a list of its versions that is none") }
        throw EngineError(
            .storageFailed, "the queue \(path) was written by a newer version of kioskd; install that one again")
    }

    private static let first = """
        CREATE TABLE job (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            role TEXT,
            printer TEXT,
            user TEXT,
            format TEXT NOT NULL,
            document_length INTEGER NOT NULL,
            document_file TEXT,
            ticket TEXT,
            state TEXT NOT NULL,
            state_reasons TEXT NOT NULL DEFAULT '',
            message TEXT,
            evidence TEXT,
            is_unconfirmed INTEGER NOT NULL DEFAULT 0,
            bytes_sent INTEGER NOT NULL DEFAULT 0,
            attempts INTEGER NOT NULL DEFAULT 0,
            remote_job TEXT,
            created_at INTEGER NOT NULL,
            processing_at INTEGER,
            completed_at INTEGER,
            expires_at INTEGER NOT NULL,
            stage INTEGER NOT NULL,
            is_pinned INTEGER NOT NULL,
            reprints INTEGER NOT NULL DEFAULT 0,
            sent_at INTEGER,
            sent_to TEXT,
            is_cancel_requested INTEGER NOT NULL DEFAULT 0,
            caller TEXT,
            idempotency_key TEXT,
            content_digest TEXT
        );
        CREATE UNIQUE INDEX job_idempotency ON job (caller, idempotency_key) WHERE idempotency_key IS NOT NULL;
        CREATE INDEX job_active ON job (stage) WHERE stage < 4;

        CREATE TABLE document (
            job_id INTEGER PRIMARY KEY REFERENCES job (id) ON DELETE CASCADE,
            bytes BLOB NOT NULL
        );

        CREATE TABLE printer_contact (
            printer TEXT PRIMARY KEY,
            url TEXT NOT NULL,
            description TEXT NOT NULL,
            contacted_at INTEGER NOT NULL
        );

        CREATE TABLE engine (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            marker TEXT NOT NULL
        );
        """
    /// `job_final` finds what trimming looks for; of documents it answers from the index alone, of jobs their rows are
    /// read too, for their keys. Until now a final job kept no document.
    private static let history = """
        ALTER TABLE job ADD COLUMN origin INTEGER;
        ALTER TABLE job ADD COLUMN has_document INTEGER NOT NULL DEFAULT 0;
        UPDATE job SET has_document = 1 WHERE stage < 4;
        UPDATE job SET document_file = NULL WHERE stage = 4;
        CREATE INDEX job_final ON job (has_document, role, completed_at, document_length) WHERE stage = 4;
        CREATE INDEX job_document_file ON job (document_file) WHERE document_file IS NOT NULL;

        CREATE TABLE job_step (
            id INTEGER PRIMARY KEY,
            job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            time INTEGER NOT NULL,
            kind TEXT NOT NULL,
            printer TEXT,
            attempt INTEGER,
            evidence TEXT,
            message TEXT,
            other_job INTEGER
        );
        CREATE UNIQUE INDEX job_step_number ON job_step (job_id, number);
        """
    /// `JobFiling` says what the indexes hold; SQLite answers from `job_final` alone only where it has `filed` too. The
    /// columns stand in their old order: `QueueSalvage` knows rows of either version by it. Table `engine` has another
    /// name now, so that a version which knows nothing of floors, and would give numbers twice, ends at its start and
    /// changes nothing.
    private static let fewerPages = """
        CREATE TABLE queue (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            marker TEXT,
            floor INTEGER NOT NULL DEFAULT 1
        );
        INSERT INTO queue (id, marker, floor) VALUES (
            1, (SELECT marker FROM engine),
            1 + max(
                ifnull((SELECT max(id) FROM job), 0),
                ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'job'), 0)
            )
        );
        DROP TABLE engine;

        CREATE TABLE new_job (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            role TEXT,
            printer TEXT,
            user TEXT,
            format TEXT NOT NULL,
            document_length INTEGER NOT NULL,
            document_file TEXT,
            ticket TEXT,
            state TEXT NOT NULL,
            state_reasons TEXT NOT NULL DEFAULT '',
            message TEXT,
            evidence TEXT,
            is_unconfirmed INTEGER NOT NULL DEFAULT 0,
            bytes_sent INTEGER NOT NULL DEFAULT 0,
            attempts INTEGER NOT NULL DEFAULT 0,
            remote_job TEXT,
            created_at INTEGER NOT NULL,
            processing_at INTEGER,
            completed_at INTEGER,
            expires_at INTEGER NOT NULL,
            stage INTEGER NOT NULL,
            is_pinned INTEGER NOT NULL,
            reprints INTEGER NOT NULL DEFAULT 0,
            sent_at INTEGER,
            sent_to TEXT,
            is_cancel_requested INTEGER NOT NULL DEFAULT 0,
            caller TEXT,
            idempotency_key TEXT,
            content_digest TEXT,
            document_digest TEXT,
            origin INTEGER,
            has_document INTEGER NOT NULL DEFAULT 0,
            job_group TEXT,
            is_copy INTEGER NOT NULL DEFAULT 0,
            remarks TEXT,
            owner INTEGER,
            filed INTEGER NOT NULL DEFAULT 0,
            first_sent_at INTEGER,
            first_accepted_at INTEGER,
            first_accepted_evidence TEXT
        );
        INSERT INTO new_job
            SELECT id, name, role, printer, user, format, document_length, document_file, ticket, state, state_reasons,
                message, evidence, is_unconfirmed, bytes_sent, attempts, remote_job, created_at, processing_at,
                completed_at, expires_at, stage, is_pinned, reprints, sent_at, sent_to, is_cancel_requested, caller,
                idempotency_key, content_digest, document_digest, origin, has_document, job_group, is_copy, remarks,
                owner, CASE stage WHEN 4 THEN 1 ELSE 2 END, NULL, NULL, NULL
            FROM job ORDER BY id;
        DROP TABLE job;
        ALTER TABLE new_job RENAME TO job;
        CREATE UNIQUE INDEX job_idempotency ON job (caller, idempotency_key) WHERE idempotency_key IS NOT NULL;
        CREATE INDEX job_document_file ON job (document_file) WHERE document_file IS NOT NULL;
        CREATE INDEX job_final ON job (has_document, role, completed_at, document_length, filed) WHERE filed = 1;
        CREATE INDEX job_open ON job (filed) WHERE filed = 2;
        """
}
