package dev.berth.core.task;

/**
 * Whose a thing is.
 *
 * @param principal who the door says this is, for comparing ({@code unix:alice})
 * @param name what people call them
 */
public record Owner(String principal, String name) {

    /** Berth itself, as the actor of what nobody asked for. */
    public static final Owner BERTH = new Owner("berth", "berth");

    public static Owner unix(String userName) {
        return new Owner("unix:" + userName, userName);
    }
}
