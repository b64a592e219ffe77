package dev.berth.node.window;

import dev.berth.core.task.AttemptId;
import dev.berth.node.process.Marker;
import dev.berth.node.process.SearchPath;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** Opens and closes windows. */
public final class Windows {

    private static final Logger log = LoggerFactory.getLogger(Windows.class);

    /** Of a log that is long already, so many lines are shown at first. */
    private static final String FIRST_LINES = "2000";

    /** By this option Berth knows its own sessions. */
    private static final String MARK = "@berth";

    private final When when;
    private final Optional<Tmux> tmux;
    private final AtomicBoolean hasWarned = new AtomicBoolean();

    /** Which attempts get a window. */
    public enum When {
        /** All, where tmux works. */
        WHERE_IT_CAN,
        /** All: no attempt starts without. */
        ALWAYS,
        NEVER
    }

    /**
     * @param tmux where the program is said to be; otherwise it is searched for
     */
    public record Settings(When when, Optional<Path> tmux) {}

    /** What came of opening one. */
    public sealed interface Opened {
        record As(String session) implements Opened {}

        record Not(String why) implements Opened {}
    }

    public Windows(Settings settings, SearchPath path) {
        this.when = settings.when();
        this.tmux = when == When.NEVER ? Optional.empty() : Tmux.find(settings.tmux(), path);
    }

    /** Whether an attempt may not start without its window. */
    public boolean isDemanded() {
        return when == When.ALWAYS;
    }

    /** The session that an attempt will have, as far as can be told without asking tmux. */
    public Optional<String> planned(AttemptId id) {
        return tmux.map(_ -> name(id));
    }

    public Opened open(AttemptId id, Marker marker, Path file) {
        if (tmux.isEmpty()) {
            return new Opened.Not(
                    "tmux is not there; install it (Debian: apt install tmux), set tmux_path, or"
                            + " choose runner: detached");
        }
        var name = name(id);
        var answer = open(name, marker, file);
        if (answer instanceof Tmux.Answer.Refused(var why) && why.contains("duplicate session")) {
            var other = name + "_" + marker.home();
            log.info("task={} the session {} is somebody else's; using {}", id.task(), name, other);
            name = other;
            answer = open(name, marker, file);
        }
        return switch (answer) {
            case Tmux.Answer.Done _ -> new Opened.As(name);
            case Tmux.Answer.Refused(var why) -> new Opened.Not("tmux: " + why);
        };
    }

    private Tmux.Answer open(String name, Marker marker, Path file) {
        return tmux.orElseThrow()
                .run(
                        List.of(
                                "new-session",
                                "-d",
                                "-s",
                                name,
                                "tail",
                                "-n",
                                FIRST_LINES,
                                "-F",
                                file.toString(),
                                ";",
                                "set-option",
                                "-t",
                                exactly(name),
                                MARK,
                                marker.value()));
    }

    /** One that cannot be opened is told once, not for every task. */
    public void warn(AttemptId id, String why) {
        if (hasWarned.compareAndSet(false, true)) {
            log.warn("task={} has no window, nor may those after it: {}", id.task(), why);
        }
    }

    /** Only if it is still this attempt's. */
    public void close(String session, Marker marker) {
        tmux.ifPresent(
                program -> {
                    var target = exactly(session);
                    var isOurs = "#{==:#{" + MARK + "}," + marker.value() + "}";
                    var _ =
                            program.run(
                                    List.of(
                                            "if-shell",
                                            "-F",
                                            "-t",
                                            target,
                                            isOurs,
                                            "kill-session -t =" + session));
                });
    }

    /**
     * tmux would take a part of a name for the whole; the colon makes it a target for commands that
     * expect a pane.
     */
    private static String exactly(String session) {
        return "=" + session + ":";
    }

    private static String name(AttemptId id) {
        return "task_" + id.task();
    }
}
