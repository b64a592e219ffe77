package dev.berth.nodeprocess;

import dev.berth.node.LocalNode;
import dev.berth.node.ScriptReports;
import dev.berth.node.pam.PamPasswordCheck;
import dev.berth.node.shim.LocalTaskFolders;
import dev.berth.nodesocket.FrameChannel;
import dev.berth.nodesocket.PeerUser;
import dev.berth.nodesocket.message.FromNode;
import dev.berth.nodesocket.message.Protocol;
import dev.berth.nodesocket.message.ToNode;
import dev.berth.port.Failpoints;
import dev.berth.port.PasswordCheck;
import dev.berth.port.read.Accounts;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileLock;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Listens for the server and serves one connection at a time. A newer one replaces an older one,
 * because the older server may be dead without the kernel having closed its socket.
 */
public final class NodeProcess implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(NodeProcess.class);

    /** The name of the only node, as stored in every record. */
    private static final String NAME = "local";

    private static final PasswordCheck NO_PASSWORDS =
            _ ->
                    new PasswordCheck.Verdict.Unavailable(
                            "the configuration of the node has no pam_service");

    private static final int MAX_GREETING_BYTES = 4096;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final Parts parts;
    private final FileLock lock;
    private final JournalFile journal;
    private final LocalTaskFolders folders;
    private final PasswordCheck passwords;
    private final ServerSocketChannel listening;
    private final List<UserPrincipal> servedUsers;
    private final Thread acceptor;
    private final Object connectionLock = new Object();
    private @Nullable FrameChannel current;
    private @Nullable Thread currentThread;
    private volatile Optional<ConnectedServer> connection = Optional.empty();
    private volatile boolean isClosed;

    /**
     * What a node process is built from.
     *
     * @param version of this program
     * @param accounts the user accounts of this machine
     */
    public record Parts(
            NodeDirectories directories,
            NodeConfig config,
            String version,
            Accounts accounts,
            Failpoints failpoints,
            Listener listener) {}

    /** Called for what the server does. */
    public interface Listener {

        /** The server accepts requests at this address. */
        void onListening(String url);

        void onConnected();

        void onDisconnected();
    }

    private NodeProcess(Parts parts, FileLock lock, JournalFile journal) throws IOException {
        this.parts = parts;
        this.lock = lock;
        this.journal = journal;
        this.folders = LocalTaskFolders.open(parts.directories().tasks());
        this.passwords =
                parts.config()
                        .pamService()
                        .<PasswordCheck>map(PamPasswordCheck::ofService)
                        .orElse(NO_PASSWORDS);
        this.servedUsers =
                List.of(PeerUser.named(parts.config().serverUser()), PeerUser.named("root"));
        this.listening = listen(parts.directories(), servedUsers.getFirst());
        this.acceptor = Thread.ofPlatform().name("node-acceptor").unstarted(this::accept);
    }

    /** The directories exist. */
    public static NodeProcess start(Parts parts) throws IOException, InvalidNodeConfig {
        var lock = parts.directories().lock();
        var journal = JournalFile.open(parts.directories().journal(), Clock.systemUTC());
        var process = new NodeProcess(parts, lock, journal);
        process.acceptor.start();
        log.info(
                "the node listens on {} for the user {}",
                parts.directories().socket(),
                parts.config().serverUser());
        return process;
    }

    /** Only root can write the directory of the socket, apart from new entries of the server. */
    private static ServerSocketChannel listen(NodeDirectories directories, UserPrincipal server)
            throws IOException {
        var socket = directories.socket();
        Files.deleteIfExists(socket);
        var channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        channel.bind(UnixDomainSocketAddress.of(socket));
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        Files.setOwner(socket, server);
        return channel;
    }

    private void accept() {
        while (!isClosed) {
            try {
                var channel = listening.accept();
                if (PeerUser.isOneOf(channel, servedUsers)) {
                    Thread.ofPlatform().daemon().name("server-reader").start(() -> greet(channel));
                } else {
                    log.warn("a process of {} is not served", PeerUser.of(channel).getName());
                    channel.close();
                }
            } catch (IOException failure) {
                if (!isClosed) {
                    log.error("a connection could not be accepted", failure);
                }
            }
        }
    }

    private void greet(SocketChannel channel) {
        try (var frames = new FrameChannel(channel)) {
            var greeting = Protocol.TO_NODE.decode(frames.read(MAX_GREETING_BYTES));
            if (!(greeting instanceof ToNode.Hello hello)) {
                throw new IOException("the first message is not a greeting");
            }
            var mismatch = VersionMismatch.between(parts.version(), hello);
            if (mismatch.isPresent()) {
                log.warn("a server is refused: {}", mismatch.get());
                frames.write(Protocol.FROM_NODE.encode(new FromNode.Refused(mismatch.get())));
                return;
            }
            replaceBy(frames);
            serve(frames);
        } catch (IOException failure) {
            log.warn("a server could not be served: {}", failure.toString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when the connection before has ended: its orders come before those of this one. */
    private void replaceBy(FrameChannel frames) throws IOException, InterruptedException {
        Thread before;
        synchronized (connectionLock) {
            if (isClosed) {
                throw new IOException("the node stops");
            }
            if (current != null) {
                current.close();
            }
            before = currentThread;
            current = frames;
            currentThread = Thread.currentThread();
        }
        if (before != null && !before.join(CLOSE_TIMEOUT)) {
            log.warn("the connection before does not end");
        }
    }

    private void serve(FrameChannel frames) throws IOException {
        var directories = parts.directories();
        var node = startNode();
        var answers = new QueryAnswers(node, folders, directories.tasks(), passwords);
        try (var opened = ConnectedServer.open(frames, node, answers, parts.listener())) {
            connection = Optional.of(opened);
            opened.send(
                    new FromNode.Welcome(
                            node.name(),
                            node.bootId(),
                            node.trackingMethod(),
                            node.shim(),
                            node.probeName(),
                            parts.config().gpus().toString(),
                            directories.tasks(),
                            parts.config().pamService().isPresent()));
            parts.listener().onConnected();
            opened.serve();
        } finally {
            connection = Optional.empty();
            parts.listener().onDisconnected();
        }
    }

    private LocalNode startNode() throws IOException {
        try {
            return LocalNode.start(
                    parts.config().settings(NAME, parts.directories().tasks()),
                    parts.failpoints(),
                    ScriptReports.NONE,
                    parts.accounts(),
                    journal);
        } catch (InvalidNodeConfig impossible) {
            throw new IllegalStateException("the configuration was valid", impossible);
        }
    }

    /** Asks a connected server to stop. */
    public void stopServer() {
        connection.ifPresent(open -> open.send(new FromNode.StopServer()));
    }

    /** Attempts go on. */
    @Override
    public void close() throws IOException, InterruptedException {
        isClosed = true;
        listening.close();
        Thread reader;
        synchronized (connectionLock) {
            if (current != null) {
                current.close();
            }
            reader = currentThread;
        }
        if (reader != null) {
            reader.join(CLOSE_TIMEOUT);
        }
        folders.close();
        journal.close();
        lock.release();
    }
}
