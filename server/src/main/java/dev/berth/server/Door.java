package dev.berth.server;

import dev.berth.server.api.About;
import dev.berth.server.api.Api;
import dev.berth.server.api.Desk;
import dev.berth.server.api.Finishes;
import dev.berth.server.identity.Doorman;
import dev.berth.server.identity.LoopbackClients;
import dev.berth.server.identity.ServerUser;

import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;

/** The two entrances and what is behind them. */
public final class Door implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Door.class);

    private static final String LOOPBACK = "127.0.0.1";

    /** A connection that is kept open without a request must not hold up the end. */
    private static final Duration SHUTDOWN_IDLE = Duration.ofMillis(200);

    private static final int MOST_CONNECTIONS = 1000;
    private static final int LARGEST_HEADERS_BYTES = 16 << 10;

    private final DoorSettings settings;
    private final Patience patience;
    private final SocketPlace place;
    private final Finishes finishes;
    private final Server server;
    private final ServerConnector tcp;

    /**
     * How long a caller may take.
     *
     * @param firstRequest from connecting to the end of the first request's headers
     * @param idle between two signs of life
     * @param stop to finish when the door closes
     */
    record Patience(Duration firstRequest, Duration idle, Duration stop) {
        static final Patience USUAL =
                new Patience(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(5));
    }

    /** Makes everything ready; nobody can come in before {@link #open}. */
    public Door(DoorSettings settings, Desk desk, About about) throws IOException {
        this(settings, desk, about, Patience.USUAL);
    }

    Door(DoorSettings settings, Desk desk, About about, Patience patience) throws IOException {
        this.settings = settings;
        this.patience = patience;
        this.place = SocketPlace.prepare(settings.home(), settings.shortRoot());
        this.finishes = new Finishes(desk.engine());
        this.server = new Server(threads());
        this.tcp = new ServerConnector(server, 0, 1, http());
        var user = ServerUser.owning(place.nursery());
        var doorman =
                new Doorman(settings.auth(), user, LoopbackClients.OF_THIS_MACHINE, place.socket());
        var reception =
                new Reception(
                        Api.table(desk, finishes, about, this::url), doorman, about.version());
        server.setHandler(reception);
        server.setErrorHandler(reception.unreadable());
        server.setStopTimeout(patience.stop().toMillis());
        addEntrances();
    }

    private void addEntrances() {
        var unix = new UnixDomainServerConnector(server, 0, 1, http());
        unix.setUnixDomainPath(place.made());
        unix.setAcceptQueueSize(MOST_CONNECTIONS);
        tcp.setHost(LOOPBACK);
        tcp.setPort(settings.port());
        tcp.setAcceptQueueSize(MOST_CONNECTIONS);
        for (AbstractConnector entrance : new AbstractConnector[] {unix, tcp}) {
            entrance.setIdleTimeout(patience.idle().toMillis());
            entrance.setShutdownIdleTimeout(SHUTDOWN_IDLE.toMillis());
            entrance.addBean(
                    new FirstRequestDeadline(entrance.getScheduler(), patience.firstRequest()));
            server.addConnector(entrance);
            // Each its own, so that strangers at the one cannot shut the other.
            server.addBean(new NetworkConnectionLimit(MOST_CONNECTIONS, entrance));
        }
    }

    private static QueuedThreadPool threads() {
        // The pool's own threads only watch sockets; every request has a virtual thread and may
        // wait.
        var threads = new QueuedThreadPool(16, 2);
        threads.setName("door");
        threads.setVirtualThreadsExecutor(
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("request-", 0).factory()));
        return threads;
    }

    private static HttpConnectionFactory http() {
        var http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(LARGEST_HEADERS_BYTES);
        return new HttpConnectionFactory(http);
    }

    /** Lets callers in. */
    public void open() throws DoorBlocked {
        try {
            tcp.open();
            server.start();
            place.publish();
        } catch (Exception e) {
            close();
            throw blocked(e);
        }
        log.info("open url={} socket={} auth={}", url(), place.socket(), settings.auth());
    }

    private DoorBlocked blocked(Exception e) {
        // Jetty wraps the kernel's refusal in an exception of its own.
        var isTaken = e instanceof BindException || e.getCause() instanceof BindException;
        if (!isTaken) {
            return new DoorBlocked("Berth cannot listen: " + e.getMessage(), e);
        }
        var holder = PortHolder.of(settings.port()).map(name -> " by " + name).orElse("");
        return new DoorBlocked(
                "Port "
                        + settings.port()
                        + " on "
                        + LOOPBACK
                        + " is taken"
                        + holder
                        + ". Stop it, or choose another port with --port (0 takes any that is"
                        + " free).",
                e);
    }

    /** Where the loopback entrance is. */
    public String url() {
        return "http://" + LOOPBACK + ":" + tcp.getLocalPort();
    }

    /** Where the Unix socket is. */
    public Path socket() {
        return place.socket();
    }

    /** Lets nobody in any more and gives those inside a moment to finish. */
    @Override
    public void close() {
        finishes.close();
        try {
            place.withdraw();
        } catch (IOException e) {
            log.warn("the socket could not be removed: {}", e.getMessage());
        }
        try {
            server.stop();
        } catch (Exception e) {
            log.warn("closing the door failed: {}", e.toString());
        }
    }
}
