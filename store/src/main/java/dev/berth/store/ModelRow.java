package dev.berth.store;

import dev.berth.core.model.Model;
import dev.berth.core.task.Owner;
import dev.berth.core.task.RunAs;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A model that was added by a request, as a row of {@code model}. */
final class ModelRow {

    static final SqlTable TABLE = SqlTable.checked("model");

    private static final Column NAME = TABLE.key("name");
    private static final Column WORKER = TABLE.column("worker");
    private static final Column MEMORY_MIB = TABLE.column("memory_mib");
    private static final Column PREWARM = TABLE.column("prewarm");
    private static final Column ENVIRONMENT = TABLE.column("environment");
    private static final Column WORK_DIR = TABLE.column("work_dir");
    private static final Column IDLE_SECONDS = TABLE.column("idle_seconds");
    private static final Column OWNER = TABLE.column("owner");
    private static final Column OWNER_NAME = TABLE.column("owner_name");
    private static final Column RUN_AS = TABLE.column("run_as");
    private static final Column RUN_AS_UID = TABLE.column("run_as_uid");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();
    private static final String DELETE = TABLE.deleteByKey();

    private ModelRow() {}

    static void save(SqlSession session, Model model) throws SQLException {
        var row =
                session.prepared(UPSERT)
                        .set(NAME, model.name())
                        .set(WORKER, model.worker())
                        .set(MEMORY_MIB, model.memoryMib())
                        .set(PREWARM, model.isPrewarmed())
                        .set(ENVIRONMENT, JsonText.of(model.environment()))
                        .set(WORK_DIR, model.workDir());
        if (model.idleTime().isPresent()) {
            row.set(IDLE_SECONDS, model.idleTime().get().toSeconds());
        }
        var access = model.access();
        if (access.owner().isPresent()) {
            row.set(OWNER, access.owner().get().principal())
                    .set(OWNER_NAME, access.owner().get().name());
        }
        if (access.runAs().isPresent()) {
            row.set(RUN_AS, access.runAs().get().user())
                    .set(RUN_AS_UID, access.runAs().get().uid());
        }
        row.run();
    }

    static void delete(SqlSession session, String name) throws SQLException {
        session.prepared(DELETE).add(name).run();
    }

    static List<Model> readAll(ResultRow row) throws SQLException {
        var models = new ArrayList<Model>();
        while (row.next()) {
            var idle = row.optionalNumber(IDLE_SECONDS);
            models.add(
                    new Model(
                            row.text(NAME),
                            row.text(WORKER),
                            row.number(MEMORY_MIB),
                            row.flag(PREWARM),
                            JsonText.read(row.text(ENVIRONMENT)),
                            row.text(WORK_DIR),
                            idle.isPresent()
                                    ? Optional.of(Duration.ofSeconds(idle.getAsLong()))
                                    : Optional.empty(),
                            access(row)));
        }
        return models;
    }

    private static Model.Access access(ResultRow row) throws SQLException {
        var owner = row.optionalText(OWNER);
        var runAs = row.optionalText(RUN_AS);
        return new Model.Access(
                owner.isPresent()
                        ? Optional.of(new Owner(owner.get(), row.text(OWNER_NAME)))
                        : Optional.empty(),
                runAs.isPresent()
                        ? Optional.of(
                                new RunAs(
                                        runAs.get(),
                                        Math.toIntExact(row.number(RUN_AS_UID)),
                                        Optional.empty()))
                        : Optional.empty());
    }
}
