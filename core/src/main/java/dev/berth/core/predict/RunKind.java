package dev.berth.core.predict;

import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskSpec;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the run time and the memory of a task depend on.
 *
 * @param command hash of the command
 * @param commandPattern hash of the command without its numbers
 * @param gpuCount as requested, such as 2 or 1-4; 0 without a GPU
 * @param work present for a model task
 */
public record RunKind(
        Owner owner,
        String name,
        long command,
        long commandPattern,
        String gpuCount,
        Optional<String> gpuType,
        Optional<ModelWork> work) {

    public static RunKind of(Owner owner, TaskSpec spec) {
        var need = spec.requirements().need();
        return new RunKind(
                owner,
                spec.name(),
                spec.script().commandHash(),
                spec.script().patternHash(),
                gpuCount(need),
                need instanceof Need.Gpus gpus ? gpus.type() : Optional.empty(),
                spec.requirements().work());
    }

    private static String gpuCount(Need need) {
        return switch (need) {
            case Need.Cpu _ -> "0";
            case Need.Gpus(var count, _, _, _) -> gpuCount(count.min(), count.max());
        };
    }

    public static String gpuCount(int min, int max) {
        return min == max ? Integer.toString(min) : min + "-" + max;
    }

    /** Identifies runs of the same name, command, owner and need. */
    public long fingerprint() {
        return new Hash(1)
                .with(owner.principal())
                .with(name)
                .with(commandPattern)
                .with(gpuCount)
                .with(gpuType.orElse(""))
                .with(modelAndKind())
                .value();
    }

    /**
     * The groups that its runs belong to, narrow ones first: all of the above; the same name of the
     * same owner; the same model and type of task; the same command without its numbers.
     */
    List<Long> groups() {
        var groups = new ArrayList<Long>();
        groups.add(fingerprint());
        groups.add(ownName());
        model().ifPresent(groups::add);
        pattern().ifPresent(groups::add);
        return groups;
    }

    long ownName() {
        return new Hash(2).with(owner.principal()).with(name).value();
    }

    Optional<Long> model() {
        return work.map(_ -> new Hash(3).with(modelAndKind()).value());
    }

    /** Empty for calls of a model: their command is the same for all models. */
    Optional<Long> pattern() {
        return work.filter(ModelWork::isCall).isPresent()
                ? Optional.empty()
                : Optional.of(new Hash(4).with(commandPattern).value());
    }

    /** Also the group that tells only the order of tasks. */
    List<Long> allGroups() {
        var all = new ArrayList<>(groups());
        all.add(sizeGroup());
        return all;
    }

    /** All runs of all users with as many GPUs: what is known of a task without a past. */
    long sizeGroup() {
        return new Hash(5).with(gpuCount).value();
    }

    /** The groups whose runs tell the memory: those of one command or one model. */
    List<Long> memoryGroups() {
        var groups = new ArrayList<>(groups());
        groups.remove(1);
        return groups;
    }

    private String modelAndKind() {
        return work.map(one -> one.model().orElse("") + '\0' + one.kind().orElse("")).orElse("");
    }

    /** FNV-1a; the same in every JVM, because fingerprints are stored. */
    private static final class Hash {
        private static final long PRIME = 0x100000001b3L;
        private long value = 0xcbf29ce484222325L;

        Hash(int level) {
            add(level);
        }

        Hash with(String text) {
            for (int i = 0; i < text.length(); i++) {
                add(text.charAt(i));
            }
            return add(0xFFFF);
        }

        Hash with(long number) {
            for (int shift = 0; shift < Long.SIZE; shift += Short.SIZE) {
                add((int) (number >>> shift) & 0xFFFF);
            }
            return this;
        }

        private Hash add(int part) {
            value = (value ^ part) * PRIME;
            return this;
        }

        long value() {
            return value ^ (value >>> 32);
        }
    }
}
