package dev.berth.server;

import dev.berth.server.api.About;
import dev.berth.server.api.Api;
import dev.berth.server.api.Desk;
import dev.berth.server.api.Finishes;
import dev.berth.server.api.Front;
import dev.berth.server.audit.Audit;
import dev.berth.server.audit.Auditor;
import dev.berth.server.http.RouteTable;
import dev.berth.server.identity.BrowserRules;
import dev.berth.server.identity.Credentials;
import dev.berth.server.identity.Doorman;
import dev.berth.server.identity.LoginCodes;
import dev.berth.server.identity.LoopbackClients;
import dev.berth.server.identity.ServerUser;
import dev.berth.server.identity.SessionCookie;
import dev.berth.server.lane.RunBook;
import dev.berth.server.limit.Allowances;
import dev.berth.server.limit.Places;
import dev.berth.server.stream.Broadcast;
import dev.berth.server.stream.Timing;

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

    /** A connection that is kept open without a request must not hold up the end. */
    private static final Duration SHUTDOWN_IDLE = Duration.ofMillis(200);

    private static final int MOST_CONNECTIONS = 1000;

    /** So many ports after a taken one are tried. */
    private static final int OTHER_PORTS = 100;

    private static final int LARGEST_HEADERS_BYTES = 16 << 10;

    private final DoorSettings settings;
    private final Patience patience;
    private final SocketPlace place;
    private final Finishes finishes;
    private final RouteTable table;
    private final Broadcast broadcast;
    private final RunBook runs;
    private final Server server;
    private final ServerConnector tcp;

    /**
     * How long a caller may take.
     *
     * @param headers from their beginning to their end; of the first request from connecting
     * @param idle between two signs of life
     * @param stop to finish when the door closes
     * @param streams of those who hold a stream open
     */
    record Patience(Duration headers, Duration idle, Duration stop, Timing streams) {
        static final Patience USUAL =
                new Patience(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(5));

        Patience(Duration headers, Duration idle, Duration stop) {
            this(headers, idle, stop, Timing.USUAL);
        }
    }

    /** Makes everything ready; nobody can come in before {@link #open}. */
    public Door(DoorSettings settings, Desk desk, About about, Audit audit) throws IOException {
        this(settings, desk, about, audit, Patience.USUAL);
    }

    Door(DoorSettings settings, Desk desk, About about, Audit audit, Patience patience)
            throws IOException {
        this.settings = settings;
        this.patience = patience;
        this.place = SocketPlace.prepare(settings.home(), settings.shortRoot());
        this.finishes = new Finishes(desk.engine());
        this.server = new Server(threads());
        // With a thread that accepts: a selector that is told to stop and go on accepting by the
        // limit
        // below can trip over its own cancelled key, and then closes the port for good.
        this.tcp = new ServerConnector(server, 1, 1, http());
        var keys =
                new Front.Keys(
                        new Credentials(desk.engine()),
                        new LoginCodes(),
                        new SessionCookie(this::cookieName, settings.isSecure()));
        var api = Api.of(desk, finishes, about, front(keys));
        this.table = api.table();
        this.broadcast = api.broadcast();
        this.runs = api.runs();
        var reception =
                new Reception(
                        api.table(),
                        gate(keys),
                        new Sending(
                                about.version(),
                                patience.streams().deadline(),
                                about.figures()::answered),
                        new Auditor(audit, desk.engine()::now),
                        settings.behindProxy());
        server.setHandler(reception);
        server.setErrorHandler(reception.unreadable());
        server.setStopTimeout(patience.stop().toMillis());
        addEntrances();
    }

    private Front front(Front.Keys keys) {
        return new Front(
                this::url,
                this::publicUrl,
                keys,
                new Front.Live(new Places(settings.limits().streams()), patience.streams()));
    }

    private Gate gate(Front.Keys keys) throws IOException {
        var rules = new BrowserRules(settings.publicUrl(), settings.corsOrigins());
        var doorman =
                new Doorman(
                        settings.auth(),
                        ServerUser.owning(place.nursery()),
                        LoopbackClients.OF_THIS_MACHINE,
                        new Doorman.Shown(keys.credentials(), keys.cookie(), rules));
        var limits = settings.limits();
        var allowances =
                new Allowances(limits.requestsPerSecond(), limits.requestBurst(), System::nanoTime);
        return new Gate(rules, doorman, allowances);
    }

    private void addEntrances() {
        var unix = new UnixDomainServerConnector(server, 1, 1, http());
        unix.setUnixDomainPath(place.made());
        unix.setAcceptQueueSize(MOST_CONNECTIONS);
        tcp.setHost(settings.host());
        tcp.setAcceptQueueSize(MOST_CONNECTIONS);
        for (AbstractConnector entrance : new AbstractConnector[] {unix, tcp}) {
            entrance.setIdleTimeout(patience.idle().toMillis());
            entrance.setShutdownIdleTimeout(SHUTDOWN_IDLE.toMillis());
            entrance.addBean(new HeadersDeadline(entrance.getScheduler(), patience.headers()));
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
            bind();
            server.start();
            place.publish();
        } catch (Exception e) {
            close();
            throw blocked(e);
        }
        log.info("open url={} socket={} auth={}", url(), place.socket(), settings.auth());
    }

    private void bind() throws IOException {
        int first = settings.port();
        int last = settings.autoPort() && first > 0 ? Math.min(65_535, first + OTHER_PORTS) : first;
        for (int port = first; !tcp.isOpen(); port++) {
            tcp.setPort(port);
            try {
                tcp.open();
            } catch (IOException e) {
                if (port >= last || !isTaken(e)) {
                    throw e;
                }
            }
        }
        if (first > 0 && tcp.getLocalPort() != first) {
            log.warn(
                    "port {} is taken{}: listening on {} instead",
                    first,
                    holder(first),
                    tcp.getLocalPort());
        }
    }

    private static String holder(int port) {
        return PortHolder.of(port).map(name -> " by " + name).orElse("");
    }

    /** Jetty wraps the kernel's refusal in an exception of its own. */
    private static boolean isTaken(Exception e) {
        return e instanceof BindException || e.getCause() instanceof BindException;
    }

    private DoorBlocked blocked(Exception e) {
        if (!isTaken(e)) {
            return new DoorBlocked("Berth cannot listen: " + e.getMessage(), e);
        }
        return new DoorBlocked(
                "Port "
                        + settings.port()
                        + " on "
                        + settings.host()
                        + " is taken"
                        + holder(settings.port())
                        + ". Stop it, or choose another port with --port (0 takes any that is"
                        + " free).",
                e);
    }

    /** Where programs on this machine reach it. */
    public String url() {
        var host =
                switch (settings.host()) {
                    case "localhost", "0.0.0.0", "::" -> DoorSettings.LOOPBACK;
                    case "::1" -> "[::1]";
                    default -> settings.host();
                };
        return "http://" + host + ":" + tcp.getLocalPort();
    }

    /** Where people reach it. */
    private String publicUrl() {
        return settings.publicUrl().map(url -> url.toString().replaceFirst("/$", "")).orElse(url());
    }

    private String cookieName() {
        return "berth_session_" + tcp.getLocalPort();
    }

    /** Everything that can be asked here. */
    RouteTable table() {
        return table;
    }

    /** Where the Unix socket is. */
    public Path socket() {
        return place.socket();
    }

    /** Lets nobody in any more and gives those inside a moment to finish. */
    @Override
    public void close() {
        // First, because browsers come back at once when their stream ends.
        tcp.close();
        finishes.close();
        broadcast.close();
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
        runs.close();
    }
}
