package dev.berth.core.task;

/** Tasks that run strictly one after another, in the order in which they came. */
public sealed interface Lane {

    /** One that its owner named; others' lanes of that name are others. */
    record Named(String name) implements Lane {
        @Override
        public String word() {
            return name;
        }
    }

    /**
     * A place in a queue of a command file that was started.
     *
     * @param index its place in the queue, as it stands in the file, from 0
     * @param isMulti its tasks take several cards
     */
    record OfRun(long run, int queue, int index, boolean isMulti) implements Lane {

        /** Where only one task is in the queue. */
        public OfRun(long run, int queue, boolean isMulti) {
            this(run, queue, 0, isMulti);
        }

        @Override
        public String word() {
            return run + "/" + queue;
        }
    }

    /** The word on the wire; no name has a stroke in it. */
    String word();

    /** How its tasks take cards. */
    default Manners manners() {
        return switch (this) {
            case Named _ -> Manners.USUAL;
            case OfRun(_, _, _, boolean isMulti) -> isMulti ? Manners.MULTI : Manners.SINGLE;
        };
    }
}
