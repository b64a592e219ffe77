package dev.berth.slurm;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.Need;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.ShellContext;
import dev.berth.core.task.ShimProcess;
import dev.berth.node.OwnerFiles;
import dev.berth.node.log.LogEndText;
import dev.berth.node.process.Marker;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.AttemptHeader;
import dev.berth.node.shim.CommandOwner;
import dev.berth.node.shim.ExitRecord;
import dev.berth.node.shim.GoFile;
import dev.berth.node.shim.ShimParameters;
import dev.berth.node.shim.ShimScript;
import dev.berth.port.Node;
import dev.berth.port.read.Accounts;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
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
            Pattern.compile("([A-Za-z0-9._-]{1,255}) (\\d{1,18}) (\\d{1,4}(?:,\\d{1,4}){0,255}|-)");
    private static final String MEMORY_SHORTAGE = "out_of_memory";
    private static final int MAX_LOG_BYTES = 64 * 1024;

    private final Path tasks;
    private final String homeId;
    private final ShimScript script;
    private final boolean yieldsToOthers;
    private final Optional<Accounts> accounts;
    private final InstantSource clock;
    private final GpuMarks marks;

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
        this.marks = GpuMarks.create(tasks, clock);
        this.accounts = Optional.empty();
    }

    private SharedAttemptFiles(SharedAttemptFiles same, Accounts users) {
        this.tasks = same.tasks;
        this.homeId = same.homeId;
        this.script = same.script;
        this.yieldsToOthers = same.yieldsToOthers;
        this.clock = same.clock;
        this.marks = same.marks;
        this.accounts = Optional.of(users);
    }

    /** The same for tasks whose jobs belong to their owners. */
    public SharedAttemptFiles forOwners(Accounts users) throws IOException {
        OwnerFiles.open(tasks);
        marks.openForAll();
        return new SharedAttemptFiles(this, users);
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
    public void prepare(Node.Launch order) throws IOException, SlurmFailure {
        var id = order.attempt().id();
        var text = order.spec().script().text();
        var directory = directory(id);
        var owner = owner(text.runAs());
        var parameters =
                new ShimParameters(
                        new Marker(homeId, id.toString()),
                        text.command(),
                        Path.of(text.workDir()),
                        text.environment(),
                        List.of(),
                        owner,
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
                script.commandScript(parameters, script.bash()));
        if (owner.isPresent()) {
            directory.openForShim(owner.get().uid());
        }
        directory.linkLatest();
    }

    /** The account as it is now; whether a job may run as it, root's own rules decide. */
    private Optional<CommandOwner> owner(Optional<RunAs> ordered) throws IOException, SlurmFailure {
        if (accounts.isEmpty()) {
            return Optional.empty();
        }
        if (ordered.isEmpty()) {
            throw SlurmFailure.forbidden(ErrorSentence.ACCOUNT_NONE.text());
        }
        var user = ordered.get().user();
        var account = accounts.get().named(user).filter(found -> found.name().equals(user));
        if (account.isEmpty()) {
            throw SlurmFailure.forbidden(ErrorSentence.ACCOUNT_MISSING.text(user));
        }
        int uid = account.get().uid();
        if (uid != ordered.get().uid()) {
            throw SlurmFailure.forbidden(
                    ErrorSentence.ACCOUNT_CHANGED.text(user, uid, ordered.get().uid()));
        }
        return Optional.of(
                new CommandOwner(
                        account.get(), ordered.get().shell().map(SharedAttemptFiles::ofJob)));
    }

    /** A shell that was itself part of a job must not say which job the task is. */
    private static ShellContext ofJob(ShellContext shell) {
        var variables = new TreeMap<>(shell.environment());
        variables.keySet().removeIf(name -> name.startsWith("SLURM"));
        return new ShellContext(variables, shell.umask(), shell.limits());
    }

    /** By {@code run.sh}, which its owner cannot change. */
    @Override
    public OptionalInt owner(AttemptId id) {
        if (accounts.isEmpty()) {
            return OptionalInt.empty();
        }
        try {
            return directory(id).ownerUid();
        } catch (IOException failure) {
            log.warn("task={} its owner cannot be read: {}", id.task(), failure.toString());
            return OptionalInt.empty();
        }
    }

    private String placement(Node.Launch order) {
        int gpus =
                order.spec().requirements().need() instanceof Need.Gpus need
                        ? need.count().min()
                        : 0;
        return "berth_gpus="
                + gpus
                + "\nberth_gpu_dir="
                + ShimScript.quoted(marks.directory().toString())
                + "\nberth_attempt="
                + ShimScript.quoted(order.attempt().id().toString())
                + "\nberth_yields="
                + (yieldsToOthers ? "1" : "")
                + "\nberth_files_umask="
                + (accounts.isPresent() ? "022" : "077")
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
        refresh(directory);
        var record = ExitRecord.read(directory);
        return switch (record) {
            case ExitRecord.Code(int code) -> new FileState.Exited(code, start(directory));
            case ExitRecord.NotBegun(String step) -> new FileState.NotBegun(step);
            case ExitRecord.Absent _, ExitRecord.Damaged _ -> withoutRecord(directory);
        };
    }

    /**
     * NFS remembers for up to a minute that a name does not exist; to open the directory asks the
     * file server again.
     */
    private static void refresh(AttemptDirectory directory) throws IOException {
        try (var _ = Files.newDirectoryStream(directory.path())) {
            log.trace("{} is open", directory.path());
        } catch (NoSuchFileException notPrepared) {
            log.trace("{} does not exist yet", directory.path());
        }
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
                earlier(
                        Files.getLastModifiedTime(directory.go(), LinkOption.NOFOLLOW_LINKS)
                                .toInstant(),
                        clock.instant());
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
        try {
            // Never through a link that the task may have put there.
            Files.createFile(directory(id).path().resolve(MEMORY_SHORTAGE));
        } catch (FileAlreadyExistsException known) {
            log.debug("task={} its lack of memory is known", id.task());
        }
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
    public void releaseGpus(Predicate<GpuMark> isHeld) throws IOException {
        marks.release(isHeld);
    }
}
