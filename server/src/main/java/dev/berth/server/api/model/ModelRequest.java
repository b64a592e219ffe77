package dev.berth.server.api.model;

import dev.berth.core.Rejected;
import dev.berth.core.access.CommandPolicy;
import dev.berth.core.model.Model;
import dev.berth.core.task.Owner;
import dev.berth.http.Caller;
import dev.berth.http.JsonFields;
import dev.berth.http.RejectedException;
import dev.berth.server.api.task.OwnerAccounts;
import dev.berth.server.api.task.TaskRequest;
import dev.berth.server.api.task.WorkingDirectories;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Supplier;

/**
 * Reads a model from a request. Where tasks run as their owners, a user's model serves that user
 * alone, and only admins add models for everyone.
 *
 * @param commands which commands users may submit now; admins' models are free
 */
public record ModelRequest(
        WorkingDirectories workDirs, OwnerAccounts accounts, Supplier<CommandPolicy> commands) {

    private static final int MAX_WORKER_BYTES = 64 << 10;
    private static final int MAX_MEMORY_MB = 10_000_000;
    private static final int MAX_IDLE_SECONDS = 365 * 24 * 3600;
    private static final int DEFAULT_MEMORY_MB = 4000;

    private static final Set<String> FIELDS =
            Set.of("worker", "memory_mb", "prewarm", "env", "work_dir", "idle_seconds", "run_as");

    /**
     * @param known the model that is changed; empty if it is new
     */
    Model read(String name, JsonFields fields, Caller caller, Optional<Model> known)
            throws RejectedException {
        fields.requireKnown(FIELDS, Set.of());
        var idle = fields.wholeNumber("idle_seconds", 1, MAX_IDLE_SECONDS);
        var access = access(fields, caller, known.map(Model::access));
        return new Model(
                name,
                worker(fields, caller),
                fields.wholeNumber("memory_mb", 1, MAX_MEMORY_MB).orElse(DEFAULT_MEMORY_MB),
                prewarm(fields, caller),
                environment(known, fields),
                workDir(fields.text("work_dir"), access, caller.owner()),
                idle.isPresent()
                        ? Optional.of(Duration.ofSeconds(idle.getAsInt()))
                        : Optional.empty(),
                access);
    }

    /** Who uses a model does not change: tasks that wait for it rely on that. */
    private Model.Access access(JsonFields fields, Caller caller, Optional<Model.Access> known)
            throws RejectedException {
        var runAs = fields.text("run_as");
        if (!accounts.arePerOwner()) {
            if (runAs.isPresent()) {
                throw RejectedException.invalid("run_as.personal", "run_as");
            }
            return Model.Access.OF_HOME;
        }
        if (runAs.isEmpty()) {
            return known.isPresent() ? known.get() : ownAccess(caller.owner());
        }
        if (!caller.isAdmin()) {
            throw new RejectedException(Rejected.forbidden("run_as.admin"));
        }
        var account = accounts.newLookup().of(Owner.unix(runAs.get())).orElseThrow();
        return Model.Access.shared(OwnerAccounts.runAs(account, Optional.empty()));
    }

    private Model.Access ownAccess(Owner owner) throws RejectedException {
        var account = accounts.newLookup().of(owner).orElseThrow();
        return Model.Access.of(owner, OwnerAccounts.runAs(account, Optional.empty()));
    }

    /** A worker without a task counts for no limit, so users load theirs with a task only. */
    private static boolean prewarm(JsonFields fields, Caller caller) throws RejectedException {
        boolean isPrewarmed = fields.flag("prewarm");
        if (isPrewarmed && !caller.isAdmin()) {
            throw new RejectedException(Rejected.forbidden("prewarm.admin"));
        }
        return isPrewarmed;
    }

    /** A reader never sees the values, so a change of another field keeps them. */
    private static SortedMap<String, String> environment(Optional<Model> known, JsonFields fields)
            throws RejectedException {
        return known.isPresent() && fields.isAbsent("env")
                ? known.get().environment()
                : TaskRequest.environment(fields);
    }

    private String workDir(Optional<String> asked, Model.Access access, Owner caller)
            throws RejectedException {
        if (access.runAs().isEmpty()) {
            return workDirs.of(asked, caller);
        }
        return asked.isPresent()
                ? WorkingDirectories.unexamined(asked.get())
                : accounts.newLookup()
                        .of(Owner.unix(access.runAs().get().user()))
                        .orElseThrow()
                        .home()
                        .toString();
    }

    private String worker(JsonFields fields, Caller caller) throws RejectedException {
        var worker = fields.requiredText("worker").strip();
        int bytes = worker.getBytes(StandardCharsets.UTF_8).length;
        if (worker.isEmpty() || bytes > MAX_WORKER_BYTES) {
            throw new RejectedException(
                    Rejected.invalid("worker.invalid", "worker").with("max", MAX_WORKER_BYTES));
        }
        if (!caller.isAdmin()) {
            var refusal = commands.get().refusal(worker);
            if (refusal.isPresent()) {
                throw new RejectedException(refusal.get());
            }
        }
        return worker;
    }
}
