package dev.berth.core.task;

import dev.berth.core.lane.Lane;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The request as it was submitted: what is run, what it needs, and how it is treated. */
public record TaskSpec(
        String name,
        TaskSource source,
        Script script,
        Requirements requirements,
        TaskOptions options) {

    public static TaskSpec of(String name, String command, Need need, String workDir) {
        return new TaskSpec(
                name,
                TaskSource.API,
                Script.of(command, workDir),
                Requirements.of(need),
                TaskOptions.DEFAULT);
    }

    public TaskSpec with(Priority other) {
        return with(options.with(other));
    }

    public TaskSpec with(Duration limit) {
        return with(options.with(limit));
    }

    /** The same in a lane; without a number, the lane rules define how often it is retried. */
    public TaskSpec with(Lane other, OptionalInt retries) {
        return with(options.with(other, retries));
    }

    public TaskSpec with(Need other) {
        return with(new Requirements(other, requirements.work()));
    }

    public TaskSpec with(ModelWork other) {
        return with(new Requirements(requirements.need(), Optional.of(other)));
    }

    public TaskSpec with(Script other) {
        return new TaskSpec(name, source, other, requirements, options);
    }

    public TaskSpec with(Requirements other) {
        return new TaskSpec(name, source, script, other, options);
    }

    public TaskSpec with(TaskOptions other) {
        return new TaskSpec(name, source, script, requirements, other);
    }

    public TaskSpec with(TaskSource other) {
        return new TaskSpec(name, other, script, requirements, options);
    }

    /** The same without the text of its script. */
    public TaskSpec stored() {
        return script instanceof Script.Stored ? this : with(script.stored());
    }

    TaskSpec sharing(TaskSpec other) {
        return new TaskSpec(
                name,
                source,
                script.sharing(other.script.workDir()),
                requirements.equals(other.requirements) ? other.requirements : requirements,
                options.equals(other.options) ? other.options : options);
    }

    /** The same, with a specification of equal requirements and priority. */
    TaskSpec sharingGroup(TaskSpec other) {
        boolean isOptionsEqual =
                options.timeLimit().equals(other.options.timeLimit())
                        && options.lane().equals(other.options.lane())
                        && options.maxRetries().equals(other.options.maxRetries());
        return new TaskSpec(
                name,
                source,
                script.sharing(other.script.workDir()),
                other.requirements,
                isOptionsEqual ? other.options : options);
    }

    /** GPU memory that the request states. */
    public OptionalLong statedMemoryMib() {
        return switch (requirements.need()) {
            case Need.Cpu _ -> OptionalLong.empty();
            case Need.Gpus gpus -> gpus.memory().mib();
        };
    }

    /** Its lane if it belongs to a file run. */
    public Optional<Lane.OfFileRun> fileRunLane() {
        return options.lane()
                .filter(Lane.OfFileRun.class::isInstance)
                .map(Lane.OfFileRun.class::cast);
    }

    /** The model whose worker runs it, if it is a call. */
    public Optional<String> calledModel() {
        return requirements.work().filter(ModelWork::isCall).flatMap(ModelWork::model);
    }

    public boolean isWorker() {
        return source == TaskSource.WORKER;
    }

    /** The command and the environment are the owner's secrets: this is what a log line may say. */
    @Override
    public String toString() {
        return "TaskSpec[" + name + ", " + requirements.need() + ", " + options.priority() + "]";
    }
}
