package dev.berth.node;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Run;
import dev.berth.engine.port.Fact;
import dev.berth.node.window.Windows;
import dev.berth.node.window.Windows.Opened;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The window of one attempt, from opening to closing. tmux is spoken to aside: one that hangs must
 * not keep anybody from noticing the attempt's end.
 */
final class AttemptWindow {

    private final AttemptId id;
    private final Workshop workshop;

    /** The session, once it is known whether there is one. */
    private CompletableFuture<Optional<String>> session =
            CompletableFuture.completedFuture(Optional.empty());

    AttemptWindow(AttemptId id, Workshop workshop) {
        this.id = id;
        this.workshop = workshop;
    }

    /** Before an attempt that may not start without. */
    void openIfDemanded() throws IOException {
        if (windows().isDemanded()) {
            switch (open()) {
                case Opened.As(var name) -> know(Optional.of(name));
                case Opened.Not(var why) -> throw new IOException(why);
            }
        }
    }

    /** What to say of it when the attempt starts; most that are planned come to be. */
    Optional<String> expected() {
        return session.getNow(Optional.empty()).or(() -> windows().planned(id));
    }

    /** Beside an attempt that runs for a while. */
    void openBeside() {
        var expected = expected();
        if (expected.isPresent() && session.getNow(Optional.empty()).isEmpty()) {
            session = new CompletableFuture<>();
            var opening = session;
            aside(() -> opening.complete(openExpecting(expected)));
        }
    }

    private Optional<String> openExpecting(Optional<String> expected) {
        Optional<String> opened =
                switch (open()) {
                    case Opened.As(var name) -> Optional.of(name);
                    case Opened.Not(var why) -> {
                        windows().warn(id, why);
                        yield Optional.empty();
                    }
                };
        if (!opened.equals(expected)) {
            workshop.tell(new Fact.Windowed(id, opened));
        }
        return opened;
    }

    private Opened open() {
        return windows().open(id, workshop.marker(id), workshop.directory(id).log());
    }

    /** One that an earlier server opened. */
    void takeUp(Run run) {
        know(run.window());
    }

    private void know(Optional<String> name) {
        session = CompletableFuture.completedFuture(name);
    }

    /** When it is open, if that is still to come. */
    void close() {
        var closing = session;
        aside(() -> closing.join().ifPresent(name -> windows().close(name, workshop.marker(id))));
    }

    private void aside(Runnable work) {
        Thread.ofVirtual().name("window-" + id).start(work);
    }

    private Windows windows() {
        return workshop.windows();
    }
}
