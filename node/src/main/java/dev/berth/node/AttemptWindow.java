package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.node.shim.CommandOwner;
import dev.berth.node.window.TmuxWindows;
import dev.berth.node.window.TmuxWindows.OpenResult;
import dev.berth.port.Fact;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * The tmux window of one attempt, from opening to closing. All calls to tmux run on a separate
 * thread, so that a tmux that hangs cannot delay the detection of the attempt's end.
 */
final class AttemptWindow {

    private final AttemptId id;
    private final NodeContext context;

    /** Whose tmux server has the window: an account and the process that the window follows. */
    private TmuxWindows.Viewer viewer = TmuxWindows.Viewer.SELF;

    /** Completes with the session's name, or with empty if there is no session. */
    private CompletableFuture<Optional<String>> session =
            CompletableFuture.completedFuture(Optional.empty());

    AttemptWindow(AttemptId id, NodeContext context) {
        this.id = id;
        this.context = context;
    }

    /** Opens the window before the start if the configuration requires one. */
    void openIfRequired(Optional<CommandOwner> owner) throws IOException {
        viewer = new TmuxWindows.Viewer(owner.map(CommandOwner::account), OptionalLong.empty());
        if (windows().isRequired()) {
            switch (open()) {
                case OpenResult.OpenedSession(var name) -> setSession(Optional.of(name));
                case OpenResult.NotOpened(var why) -> throw new IOException(why);
            }
        }
    }

    /**
     * The session name to report at the start. The window may not be open yet, and in rare cases
     * never opens.
     */
    Optional<String> expectedSession() {
        return session.getNow(Optional.empty()).or(() -> windows().plannedSession(id));
    }

    /** Opens the window in the background while the attempt runs. */
    void openInBackground(ProcessKey shim) {
        viewer = new TmuxWindows.Viewer(viewer.account(), OptionalLong.of(shim.pid()));
        var expected = expectedSession();
        if (expected.isPresent() && session.getNow(Optional.empty()).isEmpty()) {
            session = new CompletableFuture<>();
            var opening = session;
            inBackground(() -> opening.complete(openExpecting(expected)));
        }
    }

    private Optional<String> openExpecting(Optional<String> expected) {
        Optional<String> opened =
                switch (open()) {
                    case OpenResult.OpenedSession(var name) -> Optional.of(name);
                    case OpenResult.NotOpened(var why) -> {
                        windows().warnOnce(id, why);
                        yield Optional.empty();
                    }
                };
        if (!opened.equals(expected)) {
            context.report(new Fact.WindowChanged(id, opened));
        }
        return opened;
    }

    private OpenResult open() {
        var directory = context.directory(id);
        return windows()
                .open(
                        new TmuxWindows.Window(
                                id, context.marker(id), directory.log(), directory.go()),
                        viewer);
    }

    /** Takes over a window that an earlier server opened. */
    void adopt(ShimProcess run) {
        viewer = new TmuxWindows.Viewer(context.ownerAccount(id), OptionalLong.of(run.key().pid()));
        setSession(run.tmuxSession());
    }

    private void setSession(Optional<String> name) {
        session = CompletableFuture.completedFuture(name);
    }

    /** If the window is still opening, closes it as soon as it is open. */
    void close() {
        var closing = session;
        var owner = viewer;
        inBackground(
                () ->
                        closing.join()
                                .ifPresent(
                                        name -> windows().close(name, context.marker(id), owner)));
    }

    private void inBackground(Runnable work) {
        Thread.ofVirtual().name("window-" + id).start(work);
    }

    private TmuxWindows windows() {
        return context.windows();
    }
}
