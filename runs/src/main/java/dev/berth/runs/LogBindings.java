package dev.berth.runs;

import dev.berth.core.commandfile.FileMode;
import dev.berth.files.AtomicFile;
import dev.berth.json.WireJson;
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

/** Maps tasks of command files to their log files, stored in a separate file. */
public final class LogBindings {

    public static final int MAX_BINDINGS = 10_000;

    private static final Logger log = LoggerFactory.getLogger(LogBindings.class);

    private static final int MAX_BYTES = 8 << 20;

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

    /** The listener is called after every change and must not block. */
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /** The limit is reached. */
    public static final class TooManyBindingsException extends Exception {
        private static final long serialVersionUID = 1;

        TooManyBindingsException() {
            super("no more bindings fit");
        }
    }

    /** All bindings, ordered by command file and task. */
    public synchronized List<LogBinding> all() throws IOException {
        byte[] bytes;
        try {
            bytes = AtomicFile.read(file, MAX_BYTES);
        } catch (NoSuchFileException _) {
            return List.of();
        } catch (AtomicFile.FileTooLargeException e) {
            setAside(String.valueOf(e.getMessage()));
            return List.of();
        }
        try {
            return read(WireJson.readTree(bytes));
        } catch (JacksonException | IllegalArgumentException e) {
            setAside(String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
            return List.of();
        }
    }

    /** Replaces an earlier binding of the same task. */
    public synchronized void bind(LogBinding binding) throws IOException, TooManyBindingsException {
        var bindings = withoutSameTask(binding);
        if (bindings.size() >= MAX_BINDINGS) {
            throw new TooManyBindingsException();
        }
        bindings.add(binding);
        bindings.sort(ORDER);
        var bytes = WireJson.writeLine(bindings);
        if (bytes.length > MAX_BYTES) {
            throw new TooManyBindingsException();
        }
        write(bytes);
    }

    /** Removes the binding of a task. */
    public synchronized void unbind(LogBinding binding) throws IOException {
        var others = withoutSameTask(binding);
        if (others.size() < all().size()) {
            write(WireJson.writeLine(others));
        }
    }

    public Optional<LogBinding> find(FileMode mode, int index, int queue, int task)
            throws IOException {
        return all().stream()
                .filter(
                        binding ->
                                binding.mode().equals(mode.apiName())
                                        && binding.configIndex() == index
                                        && binding.queueId() == queue
                                        && binding.taskIndex() == task)
                .findFirst();
    }

    private ArrayList<LogBinding> withoutSameTask(LogBinding binding) throws IOException {
        var others = new ArrayList<>(all());
        others.removeIf(other -> ORDER.compare(other, binding) == 0);
        return others;
    }

    private void write(byte[] bytes) throws IOException {
        AtomicFile.createDirectory(file.resolveSibling(""));
        AtomicFile.replace(file, bytes);
        listeners.forEach(Runnable::run);
    }

    /** Keeps the broken file for manual repair; bindings start empty. */
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
        // A manually edited file may list a task twice; the first binding counts.
        var bindings = new TreeSet<>(ORDER);
        tree.valueStream().map(LogBindings::binding).forEach(bindings::add);
        return List.copyOf(bindings);
    }

    private static LogBinding binding(JsonNode node) {
        return new LogBinding(
                FileMode.parse(text(node, "mode"))
                        .orElseThrow(() -> new IllegalArgumentException("no such mode"))
                        .apiName(),
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
