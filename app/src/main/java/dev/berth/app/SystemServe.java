package dev.berth.app;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.nodeprocess.InvalidNodeConfig;
import dev.berth.nodeprocess.NodeProcess;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * {@code berth serve --system} as root: runs the node in this process and the server in a child of
 * the account {@code berth}. If the child ends, it is started again. If this process is killed, the
 * server lives on; the next one finds it by its connection, and starts no second one.
 */
final class SystemServe implements NodeProcess.Listener {

    private static final Logger log = LoggerFactory.getLogger(SystemServe.class);

    /** A server that lives connects before this. */
    private static final Duration RECONNECT_TIME = Duration.ofSeconds(3);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(10);
    private static final Duration STEADY = Duration.ofSeconds(30);
    private static final Duration STOP_TIME = Duration.ofSeconds(30);
    private static final Pattern URL = Pattern.compile("https?://[!-~]{1,200}");

    private final Options options;
    private final CallContext context;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private volatile boolean isConnected;
    private volatile boolean hasListened;
    private volatile Optional<Process> child = Optional.empty();

    /**
     * @param arguments for the server
     */
    record Options(NodeStart.Request node, List<String> arguments) {}

    SystemServe(Options options, CallContext context) {
        this.options = options;
        this.context = context;
    }

    int run() throws IOException, InterruptedException {
        try {
            // Closed by the hook, after the server.
            var node = NodeStart.start(options.node(), this);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(node), "stop"));
            return superviseServer(command(node));
        } catch (InvalidNodeConfig refused) {
            throw new CommandFailure(String.valueOf(refused.getMessage()));
        }
    }

    private int superviseServer(List<String> command) throws IOException, InterruptedException {
        if (hasLeftServer()) {
            awaitConnection(RECONNECT_TIME);
        }
        var pause = FIRST_PAUSE;
        while (stopping.getCount() > 0) {
            if (isConnected) {
                stopping.await(FIRST_PAUSE.toMillis(), TimeUnit.MILLISECONDS);
                continue;
            }
            long begin = System.nanoTime();
            int status = runServer(command);
            if (!hasListened && !hasLeftServer()) {
                return status == 0 ? 1 : status;
            }
            if (stopping.getCount() > 0) {
                log.warn("the server ended with status {}; it is started again", status);
            }
            boolean wasSteady = System.nanoTime() - begin > STEADY.toNanos();
            pause = wasSteady ? FIRST_PAUSE : min(pause.multipliedBy(2), MAX_PAUSE);
            stopping.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        }
        return 0;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** A server deletes this file when it stops in order. Nothing of the server's is opened. */
    private boolean hasLeftServer() {
        return Files.exists(
                options.node().paths().home().resolve("lock.holder"), LinkOption.NOFOLLOW_LINKS);
    }

    private void awaitConnection(Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!isConnected && System.nanoTime() - end < 0) {
            stopping.await(20, TimeUnit.MILLISECONDS);
        }
    }

    private int runServer(List<String> command) throws IOException, InterruptedException {
        var builder =
                new ProcessBuilder(command)
                        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .directory(Path.of("/").toFile());
        var environment = ServerEnvironment.of(context.env(), options.node().paths().home());
        builder.environment().clear();
        builder.environment().putAll(environment);
        var server = builder.start();
        child = Optional.of(server);
        if (stopping.getCount() == 0) {
            server.destroy();
        }
        return server.waitFor();
    }

    private List<String> command(NodeStart.RunningNode node) {
        var command = new ArrayList<>(node.server().asAccount());
        command.addAll(
                List.of("/bin/bash", StartCommand.launcher(), "serve", ServeCommand.SYSTEM.name()));
        command.addAll(options.arguments());
        return command;
    }

    private boolean isServerAlive() {
        return isConnected || child.filter(Process::isAlive).isPresent();
    }

    @Override
    public void onListening(String url) {
        hasListened = true;
        if (URL.matcher(url).matches()) {
            context.out().println("ready " + url);
            context.out().flush();
        }
    }

    @Override
    public void onConnected() {
        isConnected = true;
    }

    @Override
    public void onDisconnected() {
        isConnected = false;
    }

    /** First the server, so that it closes in order; attempts go on. */
    private void stop(NodeStart.RunningNode node) {
        stopping.countDown();
        try {
            node.process().stopServer();
            child.ifPresent(Process::destroy);
            long end = System.nanoTime() + STOP_TIME.toNanos();
            while (isServerAlive() && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(FIRST_PAUSE.toNanos());
            }
            node.close();
        } catch (IOException failure) {
            log.warn("closing the node failed: {}", failure.toString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
