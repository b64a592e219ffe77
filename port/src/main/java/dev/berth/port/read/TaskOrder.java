package dev.berth.port.read;

/** The order of a list of tasks; tasks with equal keys follow by id, in the same direction. */
public record TaskOrder(Key key, boolean isDescending) {

    public static final TaskOrder NEWEST_FIRST = new TaskOrder(Key.ID, true);
    public static final TaskOrder OLDEST_FIRST = new TaskOrder(Key.ID, false);

    /** What the order compares. */
    public enum Key {
        ID,
        /** Without regard to upper and lower case of A to Z. */
        NAME,
        OWNER,
        /** Only for lists of ended tasks. */
        END
    }
}
