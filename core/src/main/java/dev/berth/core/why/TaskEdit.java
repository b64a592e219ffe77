package dev.berth.core.why;

import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Need.GpuMemory;
import dev.berth.core.task.Priority;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.util.Optional;

/** A change that a person can make to a waiting task. */
public sealed interface TaskEdit {

    /** The task's specification after the change. */
    TaskSpec applyTo(TaskSpec spec);

    /** A lower minimum number of GPUs. */
    record FewerGpus(Need.GpuCount count) implements TaskEdit {
        @Override
        public TaskSpec applyTo(TaskSpec spec) {
            var need = gpus(spec);
            return spec.with(new Need.Gpus(count, need.type(), need.devices(), need.memory()));
        }
    }

    /** Only some of the GPUs that it names. */
    record FewerDevices(GpuIndices devices) implements TaskEdit {
        @Override
        public TaskSpec applyTo(TaskSpec spec) {
            var need = gpus(spec);
            return spec.with(Need.Gpus.on(devices, need.type(), need.memory()));
        }
    }

    /** Berth selects as many GPUs as it names now. */
    record AnyDevices(int count) implements TaskEdit {
        @Override
        public TaskSpec applyTo(TaskSpec spec) {
            var need = gpus(spec);
            return spec.with(new Need.Gpus(Need.GpuCount.of(count), need.type(), need.memory()));
        }
    }

    /** GPUs of any model. */
    record AnyType() implements TaskEdit {
        @Override
        public TaskSpec applyTo(TaskSpec spec) {
            var need = gpus(spec);
            return spec.with(
                    new Need.Gpus(need.count(), Optional.empty(), need.devices(), need.memory()));
        }
    }

    /** Less memory than it states, or than is estimated for it. */
    record LessMemory(long mib) implements TaskEdit {
        @Override
        public TaskSpec applyTo(TaskSpec spec) {
            return spec.with(gpus(spec).with(gpus(spec).memory().with(mib)));
        }
    }

    /** A stated memory, so that its GPUs need not be nearly empty. */
    record StatedMemory(long mib) implements TaskEdit {
        @Override
        public TaskSpec applyTo(TaskSpec spec) {
            return new LessMemory(mib).applyTo(spec);
        }
    }

    /** It shares its GPUs with other tasks that share. */
    record Shared() implements TaskEdit {
        @Override
        public TaskSpec applyTo(TaskSpec spec) {
            var need = gpus(spec);
            return spec.with(need.with(new GpuMemory(need.memory().mib(), true)));
        }
    }

    /** A time limit, or a shorter one. */
    record TimeLimit(Duration limit) implements TaskEdit {
        @Override
        public TaskSpec applyTo(TaskSpec spec) {
            return spec.with(limit);
        }
    }

    record HigherPriority(Priority priority) implements TaskEdit {
        @Override
        public TaskSpec applyTo(TaskSpec spec) {
            return spec.with(priority);
        }
    }

    /** Two changes, of which none alone helps. */
    record Both(TaskEdit first, TaskEdit second) implements TaskEdit {
        @Override
        public TaskSpec applyTo(TaskSpec spec) {
            return second.applyTo(first.applyTo(spec));
        }
    }

    private static Need.Gpus gpus(TaskSpec spec) {
        return switch (spec.requirements().need()) {
            case Need.Gpus need -> need;
            case Need.Cpu _ -> throw new IllegalArgumentException("the task needs no GPU");
        };
    }
}
