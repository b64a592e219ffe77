package dev.berth.core.lane;

/** A serial queue: its tasks run strictly one after another, in order of submission. */
public sealed interface Lane {

    /** A lane named by the owner; equal names of different owners are different lanes. */
    record Named(String name) implements Lane {
        @Override
        public String apiName() {
            return name;
        }
    }

    /**
     * A position in a queue of a file run.
     *
     * @param run id of the file run
     * @param index zero-based position in the queue, as in the file
     * @param isMulti its tasks take several GPUs
     */
    record OfFileRun(long run, int queue, int index, boolean isMulti) implements Lane {

        /** The first position of its queue. */
        public OfFileRun(long run, int queue, boolean isMulti) {
            this(run, queue, 0, isMulti);
        }

        @Override
        public String apiName() {
            return run + "/" + queue;
        }
    }

    /** The name in the API; a named lane contains no slash, so the two kinds cannot be confused. */
    String apiName();

    /** How GPUs are selected for its tasks. */
    default GpuSelection gpuSelection() {
        return switch (this) {
            case Named _ -> GpuSelection.DEFAULT;
            case OfFileRun(_, _, _, boolean isMulti) ->
                    isMulti ? GpuSelection.MULTI : GpuSelection.SINGLE;
        };
    }
}
