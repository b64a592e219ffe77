package dev.berth.engine;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.lane.Block;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.lane.Mode;
import dev.berth.core.plan.Rules;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.SubmitKey;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Everything that can make the engine act. Time comes in with it. */
public sealed interface Command {

    Instant at();

    /** Somebody asks, and waits for the answer. */
    sealed interface Request extends Command {
        Owner actor();
    }

    /**
     * Takes in all of these or none.
     *
     * @param isBatch what is wrong is said with the place of the one at fault
     */
    record Submit(
            Instant at, Owner actor, List<Entry> entries, boolean isBatch, Optional<Keyed> keyed)
            implements Request {
        public Submit {
            entries = List.copyOf(entries);
        }

        /** Of one task. */
        public Submit(Instant at, Owner actor, Entry entry, Optional<Keyed> keyed) {
            this(at, actor, List.of(entry), false, keyed);
        }

        /** Of one task that is the actor's own. */
        public Submit(Instant at, Owner actor, TaskSpec spec, Optional<Keyed> keyed) {
            this(at, actor, new Entry(actor, spec, false), keyed);
        }
    }

    /** One of the tasks to take in. */
    record Entry(Owner owner, TaskSpec spec, boolean isDraft) {}

    /** A draft is to wait for its cards. */
    record Enqueue(Instant at, Owner actor, TaskId task) implements Request {}

    /**
     * A draft is to start at once.
     *
     * @param isForced whatever is on its cards, unless Berth gave them to another task
     */
    record Start(Instant at, Owner actor, TaskId task, boolean isForced) implements Request {}

    /**
     * A task that has not started is to ask for something else.
     *
     * @param before what the caller has seen: refused if it has become something else since
     */
    record Revise(Instant at, Owner actor, TaskId task, TaskSpec before, TaskSpec after)
            implements Request {}

    /** Whether Berth is to start tasks. */
    record Schedule(Instant at, Owner actor, boolean isRunning) implements Request {}

    /**
     * A command file is to be run.
     *
     * @param blocks its tasks, in its order
     */
    record StartRun(Instant at, Owner actor, RunForm form, List<Block> blocks) implements Request {
        public StartRun {
            blocks = List.copyOf(blocks);
        }
    }

    /**
     * What is said when a command file is started.
     *
     * @param config its place among the home's files of its mode
     * @param workDir where its commands run
     */
    record RunForm(
            Mode mode,
            OptionalInt config,
            String file,
            LaneRun.Origin origin,
            Priority priority,
            String workDir) {}

    /**
     * A command file is no longer to be run: nothing more of it starts.
     *
     * @param keepsRunning what runs is left to its end
     */
    record StopRun(Instant at, Owner actor, long run, boolean keepsRunning) implements Request {}

    /** Other rules hold from now on, until the next start. */
    record Retune(Instant at, Owner actor, Rules rules, Tuning tuning) implements Request {}

    /** A card is not to be used until somebody hands it back. */
    record TakeOut(Instant at, Owner actor, int index, String reason) implements Request {}

    /**
     * A card that is out of use is to be used again, if it passes its test.
     *
     * @param isForced without one
     */
    record HandBack(Instant at, Owner actor, int index, boolean isForced) implements Request {}

    record Cancel(Instant at, Owner actor, TaskId task) implements Request {}

    /** The secret stays with the caller: only its hash comes in. */
    record CreateToken(Instant at, Owner actor, Token.Grant grant) implements Request {}

    /**
     * @param isAnyones whether the actor may take back what is not theirs
     */
    record RevokeToken(Instant at, Owner actor, TokenId token, boolean isAnyones)
            implements Request {}

    /** A node saw something. It is kept until it is committed. */
    record Observe(Instant at, Fact fact) implements Command {}

    /** Time has passed. */
    record Tick(Instant at) implements Command {}

    /** The caller's key for a submit, with the hash of what came with it. */
    record Keyed(SubmitKey key, String bodyHash) {}
}
