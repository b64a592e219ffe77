package dev.berth.node;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Run;
import dev.berth.engine.port.Fact;
import dev.berth.node.window.Windows;
import dev.berth.node.window.Windows.Opened;

import java.io.IOException;
import java.util.Optional;

/** The window of one attempt, from opening to closing. */
final class AttemptWindow {

    private final AttemptId id;
    private final Workshop workshop;
    private Optional<String> session = Optional.empty();

    AttemptWindow(AttemptId id, Workshop workshop) {
        this.id = id;
        this.workshop = workshop;
    }

    /** Before an attempt that may not start without. */
    void openIfDemanded() throws IOException {
        if (windows().isDemanded()) {
            switch (open()) {
                case Opened.As(var name) -> session = Optional.of(name);
                case Opened.Not(var why) -> throw new IOException(why);
            }
        }
    }

    /** What to say of it when the attempt starts; most that are planned come to be. */
    Optional<String> expected() {
        return session.isPresent() ? session : windows().planned(id);
    }

    /** Beside an attempt that runs for a while. */
    void openBeside() {
        var expected = expected();
        if (expected.isEmpty() || session.isPresent()) {
            return;
        }
        switch (open()) {
            case Opened.As(var name) -> session = Optional.of(name);
            case Opened.Not(var why) -> windows().warn(id, why);
        }
        if (!session.equals(expected)) {
            workshop.tell(new Fact.Windowed(id, session));
        }
    }

    private Opened open() {
        return windows().open(id, workshop.marker(id), workshop.directory(id).log());
    }

    /** One that an earlier server opened. */
    void takeUp(Run run) {
        session = run.window();
    }

    void close() {
        session.ifPresent(name -> windows().close(name, workshop.marker(id)));
    }

    private Windows windows() {
        return workshop.windows();
    }
}
