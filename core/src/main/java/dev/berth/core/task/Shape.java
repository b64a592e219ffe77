package dev.berth.core.task;

import org.jspecify.annotations.Nullable;

import java.util.Optional;

/**
 * All that the choice of cards may depend on. Tasks of one shape share one answer, so a pass costs
 * the number of shapes that wait, not of tasks.
 *
 * @param key orders shapes and tells them apart; follows from the others
 */
public record Shape(Need need, Optional<ModelWork> work, Manners manners, String key)
        implements Comparable<Shape> {

    public static Shape of(TaskSpec spec) {
        return of(spec.need(), spec.work(), spec.lane().map(Lane::manners).orElse(Manners.USUAL));
    }

    public static Shape of(Need need, Optional<ModelWork> work) {
        return of(need, work, Manners.USUAL);
    }

    private static Shape of(Need need, Optional<ModelWork> work, Manners manners) {
        var word = manners == Manners.USUAL ? "" : "|" + manners;
        return new Shape(need, work, manners, key(need, work) + word);
    }

    private static String key(Need need, Optional<ModelWork> work) {
        var key = new StringBuilder();
        switch (need) {
            case Need.Cpu _ -> key.append("cpu");
            case Need.Cards(var count, var type, var devices, var memory) -> {
                key.append(count.least()).append('-').append(count.most());
                type.ifPresent(name -> append(key, "type", name));
                devices.ifPresent(named -> key.append("|on ").append(named.word()));
                memory.mib().ifPresent(mib -> key.append("|mib ").append(mib));
                key.append(memory.isShared() ? "|shared" : "");
            }
        }
        work.ifPresent(
                some -> {
                    some.model().ifPresent(name -> append(key, "model", name));
                    some.kind().ifPresent(name -> append(key, "kind", name));
                    key.append("|atoms ").append(some.atoms());
                });
        return key.toString();
    }

    /** With its length, so that no name can be read as something else. */
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
