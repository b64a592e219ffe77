package dev.berth.core.diagnosis;

import dev.berth.core.task.TaskSpec;

import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What to do when a card's memory was not enough.
 *
 * @param mostMib that a card could give; none where nobody knows
 */
record MemoryAdvice(Diagnosis diagnosis, TaskSpec spec, OptionalLong mostMib) {

    private static final long GIB = 1024;

    private static final Map.Entry<String, String> UNBROKEN =
            Map.entry("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True");

    String advice() {
        if (exceedsTheCard()) {
            return "It asked for more memory than the whole card has ("
                    + gib(total())
                    + " GiB): use"
                    + " a smaller batch or model, or spread it over several cards.";
        }
        if (isFragmented()) {
            return "The card's memory was not enough, and much of what PyTorch held lay unused in"
                    + " pieces: let it use expandable segments, or use a smaller batch.";
        }
        var memory = memoryMib();
        return memory.isPresent()
                ? "The card's memory was not enough: ask for "
                        + gib(memory)
                        + " GiB, or use a smaller batch."
                : "The card's memory was not enough: state how much it needs, or use a smaller"
                        + " batch.";
    }

    Redo redo() {
        var environment = new TreeMap<String, String>();
        if (isFragmented()) {
            environment.put(UNBROKEN.getKey(), UNBROKEN.getValue());
        }
        return new Redo(memoryMib(), environment);
    }

    /** Half as much again as was stated, and a tenth more than it tried to have. */
    private OptionalLong memoryMib() {
        var stated = spec.statedMib();
        if (exceedsTheCard() || (stated.isEmpty() && wanted().isEmpty())) {
            return OptionalLong.empty();
        }
        long half = stated.orElse(0) + Math.ceilDiv(stated.orElse(0), 2);
        long tenth = wanted().orElse(0) + Math.ceilDiv(wanted().orElse(0), 10);
        long more = Math.max(half, tenth);
        long whole = Math.ceilDiv(more, GIB) * GIB;
        // What no card of this kind has would wait for ever.
        long most = Math.min(floor(total()).orElse(whole), floor(mostMib).orElse(whole));
        long asked = Math.min(whole, most);
        return asked > stated.orElse(0) ? OptionalLong.of(asked) : OptionalLong.empty();
    }

    /** In whole GiB. */
    private static OptionalLong floor(OptionalLong mib) {
        return mib.isPresent() ? OptionalLong.of(mib.getAsLong() / GIB * GIB) : mib;
    }

    /** What it held and what it tried to get on top of that. */
    private OptionalLong wanted() {
        var tried = figure(Allocation.TRIED);
        var used = figure(Allocation.USED);
        return tried.isPresent() && used.isPresent()
                ? OptionalLong.of(tried.getAsLong() + used.getAsLong())
                : OptionalLong.empty();
    }

    private boolean exceedsTheCard() {
        return total().isPresent() && figure(Allocation.TRIED).orElse(0) > total().getAsLong();
    }

    /** What lies unused would have been enough. */
    private boolean isFragmented() {
        var unused = figure(Allocation.UNUSED).orElse(0);
        return unused >= GIB
                && unused >= figure(Allocation.TRIED).orElse(0)
                && !spec.environment().containsKey(UNBROKEN.getKey());
    }

    private OptionalLong total() {
        return figure(Allocation.TOTAL);
    }

    private OptionalLong figure(String name) {
        var value = diagnosis.params().get(name);
        return value == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(value));
    }

    private static long gib(OptionalLong mib) {
        return mib.orElseThrow() / GIB;
    }
}
