package dev.berth.engine;

import dev.berth.core.access.Actor;
import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.access.Via;
import dev.berth.core.commandfile.CommandFile;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.Model;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Fact;
import dev.berth.port.SubmitKey;
import dev.berth.port.event.ServerPayload;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Input of the engine. Each command carries its time, so deciding reads no clock. */
public sealed interface EngineCommand {

    Instant at();

    /** A command whose caller waits for the reply. */
    sealed interface Request extends EngineCommand {
        Owner actor();
    }

    /** A request of this actor. */
    static Request by(Actor actor, Request request) {
        return actor.via().isPresent() ? new Authenticated(request, actor.via().get()) : request;
    }

    /** A request, with the way in which its caller was authenticated. */
    record Authenticated(Request request, Via via) implements Request {
        @Override
        public Instant at() {
            return request.at();
        }

        @Override
        public Owner actor() {
            return request.actor();
        }
    }

    /**
     * Adds all of these tasks or none.
     *
     * @param isBatch a refusal then names the index of the task at fault
     */
    record Submit(
            Instant at,
            Owner actor,
            List<NewTask> entries,
            boolean isBatch,
            Optional<RepeatGuard> repeatGuard)
            implements Request {
        public Submit {
            entries = List.copyOf(entries);
        }

        /** One task. */
        public Submit(Instant at, Owner actor, NewTask entry, Optional<RepeatGuard> keyed) {
            this(at, actor, List.of(entry), false, keyed);
        }

        /** One task, owned by the actor. */
        public Submit(Instant at, Owner actor, TaskSpec spec, Optional<RepeatGuard> keyed) {
            this(at, actor, new NewTask(actor, spec, false), keyed);
        }
    }

    /** One of the tasks to add. */
    record NewTask(Owner owner, TaskSpec spec, boolean isDraft) {}

    /** Puts a draft into the queue. */
    record Enqueue(Instant at, Owner actor, TaskId task) implements Request {}

    /**
     * Starts a draft at once.
     *
     * @param isForced even if other processes use its GPUs, unless another task of Berth claims
     *     them
     */
    record StartDraft(Instant at, Owner actor, TaskId task, boolean isForced) implements Request {}

    /**
     * Changes a task that has not started.
     *
     * @param before what the caller has seen: refused if the task was changed since
     */
    record ChangeTask(Instant at, Owner actor, TaskId task, TaskSpec before, TaskSpec after)
            implements Request {}

    /** Stops or resumes the starting of tasks. */
    record SwitchScheduler(Instant at, Owner actor, boolean isRunning) implements Request {}

    /** Runs the valid blocks of a command file. */
    record StartFileRun(Instant at, Owner actor, FileRunOptions options, CommandFile file)
            implements Request {}

    /**
     * How to run a command file.
     *
     * @param fileIndex its index among the home's files of its mode
     * @param workDir where its commands run
     * @param runAs empty in a home of one user
     */
    record FileRunOptions(
            FileMode mode,
            OptionalInt fileIndex,
            String file,
            FileRun.Origin origin,
            Priority priority,
            String workDir,
            Optional<RunAs> runAs) {

        /** For a home of one user. */
        public FileRunOptions(
                FileMode mode,
                OptionalInt fileIndex,
                String file,
                FileRun.Origin origin,
                Priority priority,
                String workDir) {
            this(mode, fileIndex, file, origin, priority, workDir, Optional.empty());
        }
    }

    /**
     * Stops a file run: no more of its tasks start.
     *
     * @param letsTasksFinish running tasks are not stopped
     */
    record StopFileRun(Instant at, Owner actor, long run, boolean letsTasksFinish)
            implements Request {}

    /**
     * Puts other rules in force until the server restarts.
     *
     * @param events what was changed
     */
    record ChangeRules(
            Instant at,
            Owner actor,
            SchedulingRules rules,
            AttemptSettings attemptSettings,
            List<ServerPayload> events)
            implements Request {
        public ChangeRules {
            events = List.copyOf(events);
        }
    }

    /** Quarantines a GPU until a person recovers it. */
    record QuarantineGpu(Instant at, Owner actor, int gpuIndex, String reason) implements Request {}

    /**
     * Takes a quarantined GPU back into use if it passes its test.
     *
     * @param isForced without a test
     */
    record RecoverGpu(Instant at, Owner actor, int gpuIndex, boolean isForced) implements Request {}

    /** Removes the records of ended tasks. Their folders are gone already. */
    record RemoveTasks(Instant at, Owner actor, List<OwnedTask> tasks) implements Request {
        public RemoveTasks {
            tasks = List.copyOf(tasks);
        }
    }

    /** A task and its owner, whom the engine does not know once the task has ended. */
    record OwnedTask(TaskId id, Owner owner) {}

    /** Adds a model, or changes the one of this name. */
    record SaveModel(Instant at, Owner actor, Model model) implements Request {}

    record RemoveModel(Instant at, Owner actor, String model) implements Request {}

    /**
     * Loads a model ahead of its tasks.
     *
     * @param gpuIndex any GPU with room if absent
     */
    record LoadModel(Instant at, Owner actor, String model, OptionalInt gpuIndex)
            implements Request {}

    /**
     * @param gpuIndex on all GPUs if absent
     */
    record UnloadModel(Instant at, Owner actor, String model, OptionalInt gpuIndex)
            implements Request {}

    /**
     * Forgets the runs of a fingerprint, or all.
     *
     * @param mayForgetOthers whether the actor may forget runs of other users
     */
    record ForgetRuns(Instant at, Owner actor, OptionalLong fingerprint, boolean mayForgetOthers)
            implements Request {}

    /** Records that the actor reads the log of a task of another user. */
    record RecordLogRead(Instant at, Owner actor, OwnedTask task) implements Request {}

    /**
     * Records logins that failed.
     *
     * @param account the user of the last of them; empty if no account has that name
     * @param from the address of the client
     */
    record RecordFailedLogin(
            Instant at, Owner actor, Optional<Owner> account, String from, int count)
            implements Request {}

    record Cancel(Instant at, Owner actor, TaskId task) implements Request {}

    /**
     * A person decides what became of a lost or stuck attempt.
     *
     * @param isForced although its processes were seen, or could not be looked for
     */
    record Resolve(Instant at, Owner actor, AttemptId attempt, Resolution as, boolean isForced)
            implements Request {}

    /** The secret stays with the caller: the engine gets only its hash. */
    record CreateToken(Instant at, Owner actor, Token.Credential grant) implements Request {}

    /**
     * @param mayRevokeOthers whether the actor may revoke tokens of other users
     */
    record RevokeToken(Instant at, Owner actor, TokenId token, boolean mayRevokeOthers)
            implements Request {}

    /** A fact from the node. It is retried until it is committed. */
    record Observe(Instant at, Fact fact) implements EngineCommand {}

    /** Time has passed. */
    record Tick(Instant at) implements EngineCommand {}

    /** The caller's idempotency key for a submit, with the hash of the request body. */
    record RepeatGuard(SubmitKey key, String bodyHash) {}
}
