package dev.berth.core.task;

import dev.berth.core.lane.GpuSelection;
import dev.berth.core.lane.Lane;

import org.jspecify.annotations.Nullable;

import java.util.Optional;

/**
 * Everything that the selection of GPUs may depend on. All tasks of one shape get the same result,
 * so the cost of a scheduling pass grows with the number of waiting shapes, not of tasks.
 *
 * @param key derived from the other components; defines order and equality
 */
public record Shape(Need need, Optional<ModelWork> work, GpuSelection gpuSelection, String key)
        implements Comparable<Shape> {

    public static Shape of(TaskSpec spec) {
        return of(
                spec.requirements().need(),
                spec.requirements().work(),
                spec.options().lane().map(Lane::gpuSelection).orElse(GpuSelection.DEFAULT));
    }

    public static Shape of(Need need, Optional<ModelWork> modelWork) {
        return of(need, modelWork, GpuSelection.DEFAULT);
    }

    private static Shape of(Need need, Optional<ModelWork> modelWork, GpuSelection selection) {
        var suffix = selection == GpuSelection.DEFAULT ? "" : "|" + selection;
        return new Shape(need, modelWork, selection, key(need, modelWork) + suffix);
    }

    private static String key(Need need, Optional<ModelWork> modelWork) {
        var key = new StringBuilder();
        switch (need) {
            case Need.Cpu _ -> key.append("cpu");
            case Need.Gpus(var count, var type, var devices, var memory) -> {
                key.append(count.min()).append('-').append(count.max());
                type.ifPresent(name -> append(key, "type", name));
                devices.ifPresent(named -> key.append("|on ").append(named.apiName()));
                memory.mib().ifPresent(mib -> key.append("|mib ").append(mib));
                key.append(memory.isShared() ? "|shared" : "");
            }
        }
        modelWork.ifPresent(
                work -> {
                    work.model().ifPresent(name -> append(key, "model", name));
                    work.kind().ifPresent(name -> append(key, "kind", name));
                    key.append("|atoms ").append(work.atoms());
                    key.append(work.isCall() ? "|call" : "");
                });
        return key.toString();
    }

    /** The length prevents that a name is mistaken for another part of the key. */
    private static void append(StringBuilder key, String what, String name) {
        key.append('|').append(what).append(' ').append(name.length()).append(':').append(name);
    }

    @Override
    public int compareTo(Shape other) {
        return key.compareTo(other.key);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Shape shape && key.equals(shape.key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    @Override
    public String toString() {
        return "Shape[" + key + "]";
    }
}
