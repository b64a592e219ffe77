package dev.berth.port;

/** Named places where a test stops the program in order to kill it there. */
@FunctionalInterface
public interface Failpoints {

    /** For production. */
    Failpoints NONE = point -> {};

    void reach(String point);
}
