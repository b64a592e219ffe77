package dev.berth.cli.call;

import java.util.function.Supplier;

/** Tells the user on Ctrl-C what happens to the work that this command only waited for. */
public final class InterruptMessage implements AutoCloseable {

    private final Thread hook;

    private InterruptMessage(Thread hook) {
        this.hook = hook;
    }

    /** Until it is closed, the end of this process by a signal prints the text. */
    public static InterruptMessage install(CallContext context, Supplier<String> text) {
        Thread hook = new Thread(() -> context.printMessage(text.get()), "interrupt-message");
        // The JVM runs hooks on SIGINT, SIGTERM and SIGHUP, and exits when they return.
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The JVM is shutting down: too late for a message.
        }
        return new InterruptMessage(hook);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The JVM is shutting down: the hook is already running.
        }
    }
}
