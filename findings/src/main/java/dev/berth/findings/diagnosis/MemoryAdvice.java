package dev.berth.findings.diagnosis;

import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** What to do when the memory of a GPU was not enough. */
record MemoryAdvice(Diagnosis diagnosis, TaskContext task) {

    private static final long GIB = 1024;

    private static final Map.Entry<String, String> EXPANDABLE_SEGMENTS =
            Map.entry("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True");

    String variant() {
        if (exceedsGpu()) {
            return "too_large";
        }
        if (isFragmented()) {
            return "fragmented";
        }
        if (isHeldByOthers() && memoryMib().isPresent()) {
            return "others";
        }
        return memoryMib().isPresent() ? "more" : "";
    }

    /** Amounts in whole GiB. */
    SortedMap<String, String> params() {
        var params = new TreeMap<String, String>();
        memoryMib().ifPresent(mib -> params.put("memory_gib", Long.toString(mib / GIB)));
        total().ifPresent(mib -> params.put("total_gib", Long.toString(mib / GIB)));
        return params;
    }

    RerunChanges redo() {
        var environment = new TreeMap<String, String>();
        if (isFragmented()) {
            environment.put(EXPANDABLE_SEGMENTS.getKey(), EXPANDABLE_SEGMENTS.getValue());
        }
        return new RerunChanges(memoryMib(), environment);
    }

    /**
     * The larger of 1.5 times the stated memory and 1.1 times what the process tried to have,
     * rounded up to whole GiB.
     */
    private OptionalLong memoryMib() {
        var stated = task.statedMib();
        if (exceedsGpu() || (stated.isEmpty() && attempted().isEmpty())) {
            return OptionalLong.empty();
        }
        long half = stated.orElse(0) + Math.ceilDiv(stated.orElse(0), 2);
        long tenth = attempted().orElse(0) + Math.ceilDiv(attempted().orElse(0), 10);
        long more = Math.max(half, tenth);
        long whole = Math.ceilDiv(more, GIB) * GIB;
        // A task that asks for more than any GPU has would wait forever.
        long most =
                Math.min(
                        floorToGib(total()).orElse(whole),
                        floorToGib(task.largestGpuMib()).orElse(whole));
        long requestedMib = Math.min(whole, most);
        return requestedMib > stated.orElse(0)
                ? OptionalLong.of(requestedMib)
                : OptionalLong.empty();
    }

    private static OptionalLong floorToGib(OptionalLong mib) {
        return mib.isPresent() ? OptionalLong.of(mib.getAsLong() / GIB * GIB) : mib;
    }

    /** What the process held plus what it tried to allocate. */
    private OptionalLong attempted() {
        var tried = number(AllocationMessage.TRIED);
        var used = number(AllocationMessage.USED);
        return tried.isPresent() && used.isPresent()
                ? OptionalLong.of(tried.getAsLong() + used.getAsLong())
                : OptionalLong.empty();
    }

    private boolean exceedsGpu() {
        return total().isPresent()
                && number(AllocationMessage.TRIED).orElse(0) > total().getAsLong();
    }

    /** Reserved but unused memory would have been enough for the failed allocation. */
    private boolean isFragmented() {
        var unused = number(AllocationMessage.UNUSED).orElse(0);
        return unused >= GIB
                && unused >= number(AllocationMessage.TRIED).orElse(0)
                && !task.environment().containsKey(EXPANDABLE_SEGMENTS.getKey());
    }

    /** It would have had enough memory if other processes did not use the GPU. */
    private boolean isHeldByOthers() {
        var free = number(AllocationMessage.FREE);
        if (attempted().isEmpty() || total().isEmpty() || free.isEmpty()) {
            return false;
        }
        long used = number(AllocationMessage.USED).orElse(0);
        long others = total().getAsLong() - free.getAsLong() - used;
        return attempted().getAsLong() <= total().getAsLong() && others > total().getAsLong() / 10;
    }

    private OptionalLong total() {
        return number(AllocationMessage.TOTAL);
    }

    private OptionalLong number(String name) {
        var value = diagnosis.params().get(name);
        return value == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(value));
    }
}
