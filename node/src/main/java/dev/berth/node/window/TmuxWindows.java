package dev.berth.node.window;

import dev.berth.core.id.AttemptId;
import dev.berth.node.process.Marker;
import dev.berth.node.process.SearchPath;
import dev.berth.port.read.Accounts.Account;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;

/** Opens and closes the tmux sessions of attempts. */
public final class TmuxWindows {

    private static final Logger log = LoggerFactory.getLogger(TmuxWindows.class);

    /**
     * Follows the log ($1) until the shim ends, whose process id is in the file go ($2): also while
     * no server runs that could close the window. A tail without --pid follows without an end.
     */
    private static final String FOLLOW_GO =
            """
            waits=0 shim=
            until read -r shim rest 2>/dev/null <"$2" || [ $waits = 600 ]; do
                waits=$((waits + 1))
                sleep 0.2
            done
            tail --pid="$shim" -n 2000 -F "$1" || exec tail -n 2000 -F "$1"
            """;

    /**
     * The owner of a task cannot read its file go, so the process id ($2) is given, if it is known.
     */
    private static final String FOLLOW_PID =
            """
            if [ "$2" ]; then
                tail --pid="$2" -n 2000 -F "$1" && exit
            fi
            exec tail -n 2000 -F "$1"
            """;

    /** A tmux user option that marks the sessions opened by Berth. */
    private static final String MARK_OPTION = "@berth";

    private final WindowMode windowMode;
    private final Optional<Tmux> tmux;
    private final AtomicBoolean hasWarned = new AtomicBoolean();

    /** Which attempts get a window. */
    public enum WindowMode {
        /** All, if tmux works. */
        IF_AVAILABLE,
        /** All: no attempt starts without one. */
        ALWAYS,
        NEVER
    }

    /**
     * @param tmux path of the program; if empty, it is searched
     */
    public record WindowSettings(WindowMode mode, Optional<Path> tmux) {}

    public sealed interface OpenResult {
        record OpenedSession(String session) implements OpenResult {}

        record NotOpened(String why) implements OpenResult {}
    }

    /**
     * What a window shows.
     *
     * @param go the file in which the shim writes its process id
     */
    public record Window(AttemptId id, Marker marker, Path logFile, Path go) {}

    /**
     * Whose tmux server has the window.
     *
     * @param account empty for the user of this process
     * @param shim the process whose end closes the window, if it runs already
     */
    public record Viewer(Optional<Account> account, OptionalLong shim) {
        public static final Viewer SELF = new Viewer(Optional.empty(), OptionalLong.empty());
    }

    public TmuxWindows(WindowSettings settings, SearchPath path) {
        this.windowMode = settings.mode();
        this.tmux =
                windowMode == WindowMode.NEVER
                        ? Optional.empty()
                        : Tmux.find(settings.tmux(), path);
    }

    /** True if no attempt may start without its window. */
    public boolean isRequired() {
        return windowMode == WindowMode.ALWAYS;
    }

    /** The session name that an attempt will have, without asking tmux. */
    public Optional<String> plannedSession(AttemptId id) {
        return tmux.map(_ -> name(id));
    }

    public OpenResult open(Window window, Viewer viewer) {
        if (tmux.isEmpty()) {
            return new OpenResult.NotOpened(
                    "tmux is not there; install it (Debian: apt install tmux), set tmux_path, or"
                            + " choose runner: detached");
        }
        var id = window.id();
        var name = name(id);
        var answer = open(name, window, viewer);
        if (answer instanceof Tmux.Answer.Refused(var why) && why.contains("duplicate session")) {
            var other = name + "_" + window.marker().homeId();
            log.info(
                    "task={} the session {} belongs to another program; using {}",
                    id.task(),
                    name,
                    other);
            name = other;
            answer = open(name, window, viewer);
        }
        return switch (answer) {
            case Tmux.Answer.Done _ -> new OpenResult.OpenedSession(name);
            case Tmux.Answer.Refused(var why) -> new OpenResult.NotOpened("tmux: " + why);
        };
    }

    private Tmux.Answer open(String name, Window window, Viewer viewer) {
        boolean isOwners = viewer.account().isPresent();
        var shim = viewer.shim().isPresent() ? "" + viewer.shim().getAsLong() : "";
        return tmux.orElseThrow()
                .as(viewer.account())
                .run(
                        List.of(
                                "new-session",
                                "-d",
                                "-s",
                                name,
                                "sh",
                                "-c",
                                isOwners ? FOLLOW_PID : FOLLOW_GO,
                                "sh",
                                window.logFile().toString(),
                                isOwners ? shim : window.go().toString(),
                                ";",
                                "set-option",
                                "-t",
                                exactTarget(name),
                                MARK_OPTION,
                                window.marker().value()));
    }

    /** Logs the first failure only, not one for every task. */
    public void warnOnce(AttemptId id, String why) {
        if (hasWarned.compareAndSet(false, true)) {
            log.warn(
                    "task={} has no window; the same may apply to later tasks: {}", id.task(), why);
        }
    }

    /** Closes the session only if it is still this attempt's. */
    public void close(String session, Marker marker, Viewer viewer) {
        tmux.map(program -> program.as(viewer.account()))
                .ifPresent(
                        program -> {
                            var target = exactTarget(session);
                            var isOurs = "#{==:#{" + MARK_OPTION + "}," + marker.value() + "}";
                            var close =
                                    List.of(
                                            "if-shell",
                                            "-F",
                                            "-t",
                                            target,
                                            isOurs,
                                            "kill-session -t =" + session);
                            if (program.run(close) instanceof Tmux.Answer.Refused) {
                                var _ = program.runInDefaultServer(close);
                            }
                        });
    }

    /**
     * "=" prevents that tmux accepts a prefix of the name; the colon makes it a valid target for
     * commands that expect a pane.
     */
    private static String exactTarget(String session) {
        return "=" + session + ":";
    }

    private static String name(AttemptId id) {
        return "task_" + id.task();
    }
}
