package dev.berth.server.lane;

import dev.berth.core.lane.Mode;
import dev.berth.server.http.Json;
import dev.berth.wire.LogBinding;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;

/** Which task of which command file writes which log, kept in a file of its own. */
public final class LogBindings {

    public static final int MOST = 10_000;

    private static final Logger log = LoggerFactory.getLogger(LogBindings.class);

    private static final int LARGEST_BYTES = 8 << 20;

    private static final Comparator<LogBinding> ORDER =
            Comparator.comparing(LogBinding::mode)
                    .thenComparingInt(LogBinding::configIndex)
                    .thenComparingInt(LogBinding::queueId)
                    .thenComparingInt(LogBinding::taskIndex);

    private final Path file;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    public LogBindings(Path home) {
        this.file = home.resolve("control").resolve("logs").resolve("log_bindings.json");
    }

    /** Tells {@code listener} of every change; it must be quick. */
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /** There is no room for another. */
    public static final class Full extends Exception {
        private static final long serialVersionUID = 1;

        Full() {
            super("no more bindings fit");
        }
    }

    /** All of them, in the order of the files and their tasks. */
    public synchronized List<LogBinding> all() throws IOException {
        byte[] bytes;
        try {
            bytes = WholeFile.read(file, LARGEST_BYTES);
        } catch (NoSuchFileException _) {
            return List.of();
        } catch (WholeFile.TooLarge e) {
            setAside(String.valueOf(e.getMessage()));
            return List.of();
        }
        try {
            return read(Json.tree(bytes));
        } catch (JacksonException | IllegalArgumentException e) {
            setAside(String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
            return List.of();
        }
    }

    /** Another of the same task is replaced. */
    public synchronized void bind(LogBinding binding) throws IOException, Full {
        var bindings = others(binding);
        if (bindings.size() >= MOST) {
            throw new Full();
        }
        bindings.add(binding);
        bindings.sort(ORDER);
        var bytes = Json.line(bindings);
        if (bytes.length > LARGEST_BYTES) {
            throw new Full();
        }
        write(bytes);
    }

    /** The task has no log of its own from now on. */
    public synchronized void unbind(LogBinding binding) throws IOException {
        var others = others(binding);
        if (others.size() < all().size()) {
            write(Json.line(others));
        }
    }

    public Optional<LogBinding> find(Mode mode, int index, int queue, int task) throws IOException {
        return all().stream()
                .filter(
                        one ->
                                one.mode().equals(mode.word())
                                        && one.configIndex() == index
                                        && one.queueId() == queue
                                        && one.taskIndex() == task)
                .findFirst();
    }

    private ArrayList<LogBinding> others(LogBinding binding) throws IOException {
        var others = new ArrayList<>(all());
        others.removeIf(other -> ORDER.compare(other, binding) == 0);
        return others;
    }

    private void write(byte[] bytes) throws IOException {
        WholeFile.makeDirectory(file.resolveSibling(""));
        WholeFile.replace(file, bytes);
        listeners.forEach(Runnable::run);
    }

    /** A person may want to mend it, so it is kept; bindings begin anew. */
    private void setAside(String why) throws IOException {
        for (int number = 1; ; number++) {
            var aside = file.resolveSibling(file.getFileName() + ".broken-" + number);
            if (!Files.exists(aside)) {
                Files.move(file, aside);
                log.warn("log bindings cannot be read: {}; kept as {}", why, aside);
                return;
            }
        }
    }

    private static List<LogBinding> read(JsonNode tree) {
        if (!tree.isArray()) {
            throw new IllegalArgumentException("no list of bindings");
        }
        // A task that is there twice, by hand, has one log all the same.
        var bindings = new TreeSet<>(ORDER);
        tree.valueStream().map(LogBindings::binding).forEach(bindings::add);
        return List.copyOf(bindings);
    }

    private static LogBinding binding(JsonNode node) {
        return new LogBinding(
                Mode.of(text(node, "mode"))
                        .orElseThrow(() -> new IllegalArgumentException("no such mode"))
                        .word(),
                number(node, "config_index"),
                number(node, "queue_id"),
                number(node, "task_index"),
                text(node, "log_path"),
                text(node, "bound_at"));
    }

    private static String text(JsonNode node, String name) {
        var value = node.path(name);
        if (!value.isString()) {
            throw new IllegalArgumentException("a binding has no " + name);
        }
        return value.stringValue();
    }

    private static int number(JsonNode node, String name) {
        var value = node.path(name);
        if (!value.isIntegralNumber() || !value.canConvertToInt() || value.intValue() < 0) {
            throw new IllegalArgumentException("a binding has no " + name);
        }
        return value.intValue();
    }
}
