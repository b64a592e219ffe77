package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.node.linux.NumberedEntries;
import dev.berth.node.linux.SmallFile;
import dev.berth.node.process.Liveness;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.port.recover.LivingAttempt;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Finds the attempts of a home that have living processes, without a database. A shim is found by
 * its command line, any other process by the marker in its environment. The marker names the task
 * directory by its inode; if that directory was removed, the path of the log in the environment
 * tells the same.
 */
public final class LivingAttempts {

    private static final int MAX_COMMAND_LINE = 8192;
    private static final Pattern ATTEMPT = Pattern.compile("([1-9]\\d{0,17})\\.([1-9]\\d{0,8})");
    private static final Pattern DIRECTORY =
            Pattern.compile("task_([1-9]\\d{0,17})/attempts/([1-9]\\d{0,8})");

    private final List<Path> tasks;
    private final String homeId;
    private final String bootId;
    private final long self;
    private final boolean isForManyUsers;
    private final SortedMap<AttemptId, LivingAttempt> found = new TreeMap<>();

    private LivingAttempts(Path tasks, boolean isForManyUsers) throws IOException {
        var path = tasks.toAbsolutePath().normalize();
        this.tasks = List.of(path, path.toRealPath());
        this.homeId = NodeContext.homeId(path);
        this.bootId = Proc.bootId();
        this.self = Proc.userIdOfThisProcess();
        this.isForManyUsers = isForManyUsers;
    }

    /**
     * @param tasks the directory that contains the task directories; it exists
     * @param isForManyUsers tasks run as their owners
     */
    public static SortedMap<AttemptId, LivingAttempt> find(Path tasks, boolean isForManyUsers)
            throws IOException {
        var search = new LivingAttempts(tasks, isForManyUsers);
        var pids = new ArrayList<Long>();
        NumberedEntries.list("/proc", (pid, _) -> pids.add(pid));
        for (var pid : pids) {
            search.examine(pid);
        }
        return search.found;
    }

    private void examine(long pid) throws IOException {
        var shim = shimOf(pid);
        if (shim.isPresent()) {
            add(shim.get(), pid, true);
            return;
        }
        var marker = Proc.variable(pid, Marker.VARIABLE).value().flatMap(Marker::parse);
        if (marker.isPresent() && (isOurs(marker.get()) || hasLogHere(pid))) {
            var matcher = ATTEMPT.matcher(marker.get().attempt());
            if (matcher.matches()) {
                var id = id(matcher.group(1), matcher.group(2));
                if (mayBelong(pid, id)) {
                    add(id, pid, false);
                }
            }
        }
    }

    /**
     * Where tasks run as their owners, any user can give a process any marker, also that of a task
     * that never existed. Only the files of root tell whose attempt it is.
     */
    private boolean mayBelong(long pid, AttemptId id) throws IOException {
        if (!isForManyUsers) {
            return true;
        }
        var owner = AttemptDirectory.find(tasks.getFirst(), id).ownerUid();
        return owner.isPresent()
                && Proc.userId(pid).filter(user -> user == owner.getAsInt()).isPresent();
    }

    private void add(AttemptId id, long pid, boolean isShim) throws IOException {
        var key = Proc.key(bootId, pid);
        if (key.isPresent() && Proc.liveness(key.get()) == Liveness.ALIVE) {
            found.merge(
                    id,
                    new LivingAttempt(id, isShim ? key : Optional.empty(), List.of(pid)),
                    (known, _) -> known.with(isShim ? key : Optional.empty(), pid));
        }
    }

    /** The attempt whose {@code run.sh} this process runs. */
    private Optional<AttemptId> shimOf(long pid) {
        String line;
        try {
            if (!Proc.userId(pid).equals(Optional.of(self))) {
                return Optional.empty();
            }
            var bytes = SmallFile.read("/proc/" + pid + "/cmdline", MAX_COMMAND_LINE);
            line = new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException gone) {
            return Optional.empty();
        }
        var words = List.of(line.split("\0", -1));
        // A shim that was started ahead has replaced its words by shorter ones.
        return words.size() >= 4
                        && words.get(1).equals("-p")
                        && words.get(2).endsWith("/run.sh")
                        && words.stream().skip(3).allMatch(String::isEmpty)
                ? attemptAt(Path.of(words.get(2)).getParent())
                : Optional.empty();
    }

    private boolean isOurs(Marker marker) {
        return marker.homeId().equals(homeId);
    }

    private boolean hasLogHere(long pid) {
        return Proc.variable(pid, "LOG_FILE")
                .value()
                .map(Path::of)
                .flatMap(log -> attemptAt(log.getParent()))
                .isPresent();
    }

    private Optional<AttemptId> attemptAt(@Nullable Path directory) {
        for (var root : tasks) {
            if (directory != null && directory.startsWith(root)) {
                var matcher = DIRECTORY.matcher(root.relativize(directory).toString());
                if (matcher.matches()) {
                    return Optional.of(id(matcher.group(1), matcher.group(2)));
                }
            }
        }
        return Optional.empty();
    }

    private static AttemptId id(String task, String number) {
        return new AttemptId(new TaskId(Long.parseLong(task)), Integer.parseInt(number));
    }
}
