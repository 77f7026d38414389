-- The tables at the first revision.
CREATE TABLE saiten_projects (
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    identity TEXT NOT NULL,
    settings TEXT NOT NULL,
    size INTEGER NOT NULL,
    overlapping INTEGER NOT NULL,
    places INTEGER NOT NULL,
    made_at DATETIME NOT NULL,
    CONSTRAINT pk_saiten_projects PRIMARY KEY (id),
    CONSTRAINT uq_saiten_projects_name UNIQUE (name)
);
CREATE TABLE saiten_people (
    id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    role TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    token_hash BLOB NOT NULL,
    seen_at DATETIME NOT NULL,
    CONSTRAINT pk_saiten_people PRIMARY KEY (id),
    CONSTRAINT fk_saiten_people_project_id FOREIGN KEY(project_id) REFERENCES saiten_projects (id),
    CONSTRAINT uq_saiten_people_token_hash UNIQUE (token_hash),
    CONSTRAINT uq_saiten_people_project_id_folded UNIQUE (project_id, folded),
    CONSTRAINT ck_saiten_people_role CHECK (role IN ('admin', 'annotator'))
);
CREATE TABLE saiten_workloads (
    person_id INTEGER NOT NULL,
    had INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    bin_rank INTEGER NOT NULL,
    CONSTRAINT pk_saiten_workloads PRIMARY KEY (person_id),
    CONSTRAINT fk_saiten_workloads_person_id FOREIGN KEY(person_id) REFERENCES saiten_people (id)
);
CREATE TABLE saiten_sessions (
    secret_hash BLOB NOT NULL,
    person_id INTEGER NOT NULL,
    seen_at DATETIME NOT NULL,
    CONSTRAINT pk_saiten_sessions PRIMARY KEY (secret_hash),
    CONSTRAINT fk_saiten_sessions_person_id FOREIGN KEY(person_id) REFERENCES saiten_people (id)
);
CREATE INDEX ix_saiten_sessions_person_id ON saiten_sessions (person_id);
CREATE INDEX ix_saiten_sessions_seen_at ON saiten_sessions (seen_at);
CREATE TABLE saiten_items (
    id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    key_hash BLOB NOT NULL,
    content TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    needed INTEGER NOT NULL,
    room INTEGER NOT NULL,
    bin SMALLINT NOT NULL,
    topic BIGINT NOT NULL,
    drawn BIGINT NOT NULL,
    CONSTRAINT pk_saiten_items PRIMARY KEY (id),
    CONSTRAINT fk_saiten_items_project_id FOREIGN KEY(project_id) REFERENCES saiten_projects (id),
    CONSTRAINT uq_saiten_items_project_id_key_hash UNIQUE (project_id, key_hash),
    CONSTRAINT ck_saiten_items_needed CHECK (needed >= 1),
    CONSTRAINT ck_saiten_items_room CHECK (room <= needed)
);
CREATE INDEX ix_saiten_items_open ON saiten_items (project_id, bin) WHERE room > 0;
CREATE TABLE saiten_assignments (
    id INTEGER NOT NULL,
    person_id INTEGER NOT NULL,
    item_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    state TEXT NOT NULL,
    given_at DATETIME NOT NULL,
    revision INTEGER NOT NULL,
    standing_id INTEGER,
    CONSTRAINT pk_saiten_assignments PRIMARY KEY (id),
    CONSTRAINT fk_saiten_assignments_person_id FOREIGN KEY(person_id) REFERENCES saiten_people (id),
    CONSTRAINT fk_saiten_assignments_item_id FOREIGN KEY(item_id) REFERENCES saiten_items (id),
    CONSTRAINT uq_saiten_assignments_person_id_item_id UNIQUE (person_id, item_id),
    CONSTRAINT uq_saiten_assignments_person_id_number UNIQUE (person_id, number),
    CONSTRAINT ck_saiten_assignments_state CHECK (state IN ('given', 'done', 'skipped', 'released')),
    CONSTRAINT ck_saiten_assignments_standing CHECK ((state = 'done') = (standing_id IS NOT NULL))
);
CREATE INDEX ix_saiten_assignments_person_id_state_number ON saiten_assignments (person_id, state, number);
CREATE INDEX ix_saiten_assignments_item_id ON saiten_assignments (item_id);
CREATE INDEX ix_saiten_assignments_given ON saiten_assignments (given_at) WHERE state = 'given';
CREATE TABLE saiten_acts (
    id INTEGER NOT NULL,
    person_id INTEGER NOT NULL,
    save_id TEXT NOT NULL,
    assignment_id INTEGER,
    kind TEXT NOT NULL,
    revision INTEGER,
    undoes_id INTEGER,
    payload TEXT,
    unclear BOOLEAN NOT NULL,
    seconds FLOAT,
    at DATETIME NOT NULL,
    CONSTRAINT pk_saiten_acts PRIMARY KEY (id),
    CONSTRAINT fk_saiten_acts_person_id FOREIGN KEY(person_id) REFERENCES saiten_people (id),
    CONSTRAINT fk_saiten_acts_assignment_id FOREIGN KEY(assignment_id) REFERENCES saiten_assignments (id),
    CONSTRAINT fk_saiten_acts_undoes_id FOREIGN KEY(undoes_id) REFERENCES saiten_acts (id),
    CONSTRAINT uq_saiten_acts_undoes_id UNIQUE (undoes_id),
    CONSTRAINT uq_saiten_acts_person_id_save_id UNIQUE (person_id, save_id),
    CONSTRAINT uq_saiten_acts_assignment_id_revision UNIQUE (assignment_id, revision),
    CONSTRAINT ck_saiten_acts_kind CHECK (kind IN ('save', 'skip', 'undo')),
    CONSTRAINT ck_saiten_acts_payload CHECK ((kind = 'save') = (payload IS NOT NULL))
);
CREATE TABLE saiten_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT saiten_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO saiten_version VALUES ('0001');
