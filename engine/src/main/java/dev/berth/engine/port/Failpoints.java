package dev.berth.engine.port;

/** Named places where a test may stop the program to kill it there. */
@FunctionalInterface
public interface Failpoints {

    /** Everywhere but in tests. */
    Failpoints NONE = point -> {};

    void reach(String point);
}
