package dev.berth.core.task;

/**
 * The user that a task, a token or a run belongs to.
 *
 * @param principal authenticated identity, used for comparison ({@code unix:alice})
 * @param name display name
 */
public record Owner(String principal, String name) {

    /** Berth itself, as the actor of what no user requested. */
    public static final Owner BERTH = new Owner("berth", "berth");

    /** Somebody who has not proven who they are. */
    public static final Owner UNKNOWN = new Owner("unknown", "unknown");

    public static Owner unix(String userName) {
        return new Owner("unix:" + userName, userName);
    }

    /**
     * A uid that no account has. A user may be named like a number, so this principal differs from
     * that of the user with that name.
     */
    public static Owner unnamed(int uid) {
        var number = Integer.toUnsignedString(uid);
        return new Owner("uid:" + number, number);
    }
}
