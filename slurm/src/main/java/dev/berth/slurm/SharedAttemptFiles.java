package dev.berth.slurm;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.ShimProcess;
import dev.berth.node.log.LogEndText;
import dev.berth.node.process.Marker;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.AttemptHeader;
import dev.berth.node.shim.ExitRecord;
import dev.berth.node.shim.GoFile;
import dev.berth.node.shim.ShimParameters;
import dev.berth.node.shim.ShimScript;
import dev.berth.port.Node;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The attempt directories of a home, on a path that all hosts of the cluster share. */
public final class SharedAttemptFiles implements AttemptFiles {

    private static final Logger log = LoggerFactory.getLogger(SharedAttemptFiles.class);
    private static final String PLACEMENT = resource("placement.sh");
    private static final Pattern SCRIPT =
            Pattern.compile("task_(\\d{1,18})/attempts/(\\d{1,9})/run\\.sh");
    private static final Pattern PLACE =
            Pattern.compile("(\\S{1,255}) (\\d{1,18}) ([0-9,]{1,4000}|-)");
    private static final String MEMORY_SHORTAGE = "out_of_memory";
    private static final int MAX_LOG_BYTES = 64 * 1024;

    /** A mark of a GPU that is still empty may be about to be written. */
    private static final Duration MARK_TIME = Duration.ofMinutes(1);

    private final Path tasks;
    private final String homeId;
    private final ShimScript script;
    private final boolean yieldsToOthers;
    private final InstantSource clock;

    /** The marks of ended attempts at the last look. */
    private SortedMap<Path, String> marksOver = new TreeMap<>();

    /**
     * @param tasks the directory of task directories
     * @param yieldsToOthers nothing is started on a GPU on which another process computes
     */
    public SharedAttemptFiles(
            Path tasks,
            String homeId,
            ShimScript script,
            boolean yieldsToOthers,
            InstantSource clock)
            throws IOException {
        this.tasks = tasks;
        this.homeId = homeId;
        this.script = script;
        this.yieldsToOthers = yieldsToOthers;
        this.clock = clock;
        Files.createDirectories(gpuMarks());
    }

    private Path gpuMarks() {
        return tasks.resolve(".gpus");
    }

    private static String resource(String name) {
        try (var in = Objects.requireNonNull(SharedAttemptFiles.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException("the resource " + name, failure);
        }
    }

    AttemptDirectory directory(AttemptId id) {
        return AttemptDirectory.find(tasks, id);
    }

    @Override
    public void prepare(Node.Launch order) throws IOException {
        var id = order.attempt().id();
        var text = order.spec().script().text();
        var directory = directory(id);
        var parameters =
                new ShimParameters(
                        new Marker(homeId, id.toString()),
                        text.command(),
                        Path.of(text.workDir()),
                        text.environment(),
                        List.of(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        order.submission()
                                .map(
                                        submission ->
                                                new AttemptHeader(
                                                        order.attempt(),
                                                        order.spec(),
                                                        submission)));
        directory.prepare(
                script.runScript(parameters, directory, placement(order)),
                script.commandScript(parameters));
        directory.linkLatest();
    }

    private String placement(Node.Launch order) {
        int gpus =
                order.spec().requirements().need() instanceof Need.Gpus need
                        ? need.count().min()
                        : 0;
        return "berth_gpus="
                + gpus
                + "\nberth_gpu_dir="
                + ShimScript.quoted(gpuMarks().toString())
                + "\nberth_attempt="
                + ShimScript.quoted(order.attempt().id().toString())
                + "\nberth_yields="
                + (yieldsToOthers ? "1" : "")
                + "\nberth_rm=/bin/rm\n"
                + PLACEMENT;
    }

    @Override
    public Path script(AttemptId id) {
        return AttemptDirectory.of(tasks, id).runScript();
    }

    @Override
    public Optional<AttemptId> attemptOf(String path) {
        return attemptOf(tasks, path);
    }

    /** The attempt below this directory whose script it is. */
    static Optional<AttemptId> attemptOf(Path tasks, String path) {
        var prefix = tasks + "/";
        if (!path.startsWith(prefix)) {
            return Optional.empty();
        }
        var found = SCRIPT.matcher(path.substring(prefix.length()));
        return found.matches()
                ? Optional.of(
                        new AttemptId(
                                new TaskId(Long.parseLong(found.group(1))),
                                Integer.parseInt(found.group(2))))
                : Optional.empty();
    }

    @Override
    public FileState read(AttemptId id) throws IOException {
        var directory = directory(id);
        var record = ExitRecord.read(directory);
        return switch (record) {
            case ExitRecord.Code(int code) -> new FileState.Exited(code, start(directory));
            case ExitRecord.NotBegun(String step) -> new FileState.NotBegun(step);
            case ExitRecord.Absent _, ExitRecord.Damaged _ -> withoutRecord(directory);
        };
    }

    private FileState withoutRecord(AttemptDirectory directory) throws IOException {
        return switch (GoFile.read(directory.go())) {
            case GoFile.Absent _ -> new FileState.NotStarted();
            case GoFile.Tombstone _ -> new FileState.Prevented();
            case GoFile.Empty _, GoFile.Damaged _ -> new FileState.Starting();
            case GoFile.Taken _ ->
                    start(directory)
                            .<FileState>map(start -> start)
                            .orElse(new FileState.Starting());
        };
    }

    private Optional<FileState.Started> start(AttemptDirectory directory) throws IOException {
        if (!(GoFile.read(directory.go()) instanceof GoFile.Taken(var key))) {
            return Optional.empty();
        }
        var startedAt =
                earlier(Files.getLastModifiedTime(directory.go()).toInstant(), clock.instant());
        var place =
                GoFile.place(directory.go()).map(PLACE::matcher).filter(found -> found.matches());
        return place.map(
                found ->
                        new FileState.Started(
                                new ShimProcess(key, startedAt),
                                new Place(
                                        found.group(1), found.group(2), indices(found.group(3)))));
    }

    /** The clock of the file server may be ahead. */
    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    private static List<Integer> indices(String text) {
        return text.equals("-")
                ? List.of()
                : Arrays.stream(text.split(","))
                        .filter(one -> !one.isEmpty())
                        .map(Integer::valueOf)
                        .toList();
    }

    @Override
    public boolean preventStart(AttemptId id) throws IOException {
        var directory = directory(id);
        directory.create();
        return GoFile.writeTombstone(directory.go());
    }

    /** The server may be another one when the task is tried again, so a file keeps it. */
    @Override
    public void recordMemoryShortage(AttemptId id) throws IOException {
        Files.writeString(directory(id).path().resolve(MEMORY_SHORTAGE), "");
    }

    /** How many earlier attempts of the task used more memory than their job had. */
    int memoryShortages(AttemptId id) {
        int count = 0;
        for (int number = 1; number < id.number(); number++) {
            var earlier = directory(new AttemptId(id.task(), number)).path();
            count += Files.exists(earlier.resolve(MEMORY_SHORTAGE)) ? 1 : 0;
        }
        return count;
    }

    @Override
    public AttemptFindings findings(AttemptId id, Ending ending) {
        if (ending.error().isEmpty()) {
            return AttemptFindings.NONE;
        }
        try {
            var end = LogEndText.read(directory(id).log(), 0, MAX_LOG_BYTES).text();
            return new AttemptFindings(
                    ending.diagnose(ShimScript.withoutBanners(end)), Optional.empty());
        } catch (IOException | RuntimeException failure) {
            log.warn("task={} has no diagnosis: {}", id.task(), failure.toString());
            return AttemptFindings.NONE;
        }
    }

    @Override
    public void releaseGpus(Predicate<AttemptId> isLive) throws IOException {
        var over = new TreeMap<Path, String>();
        try (var marks = Files.newDirectoryStream(gpuMarks())) {
            for (var mark : marks) {
                var text = text(mark);
                if (text.isPresent() && isOver(mark, text.get(), isLive)) {
                    over.put(mark, text.get());
                }
            }
        }
        for (var entry : over.entrySet()) {
            // The shim removes it as its last act; the next attempt may put its own mark there.
            if (entry.getValue().equals(marksOver.get(entry.getKey()))) {
                Files.deleteIfExists(entry.getKey());
            }
        }
        marksOver = over;
    }

    private static Optional<String> text(Path mark) throws IOException {
        try {
            return Optional.of(Files.readString(mark).strip());
        } catch (NoSuchFileException removed) {
            return Optional.empty();
        }
    }

    private boolean isOver(Path mark, String text, Predicate<AttemptId> isLive) throws IOException {
        try {
            return !isLive.test(AttemptId.parse(text));
        } catch (IllegalArgumentException unreadable) {
            return Files.exists(mark)
                    && Files.getLastModifiedTime(mark)
                            .toInstant()
                            .plus(MARK_TIME)
                            .isBefore(clock.instant());
        }
    }
}
