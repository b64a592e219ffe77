package dev.berth.server;

import dev.berth.http.HeaderTimeout;
import dev.berth.http.PortOwner;
import dev.berth.http.RouteTable;
import dev.berth.http.UnixSocketFile;
import dev.berth.http.limit.RateLimit;
import dev.berth.identity.Authenticator;
import dev.berth.identity.BrowserRules;
import dev.berth.identity.CachedAccounts;
import dev.berth.identity.LoopbackClients;
import dev.berth.identity.PersonalUsers;
import dev.berth.identity.ServedUsers;
import dev.berth.identity.ServerUser;
import dev.berth.identity.SessionCookie;
import dev.berth.identity.Sessions;
import dev.berth.identity.SystemUsers;
import dev.berth.identity.TrustedProxy;
import dev.berth.port.read.Accounts;
import dev.berth.server.api.server.ListeningPort;
import dev.berth.server.stream.StreamTimeouts;
import dev.berth.server.tls.PlainHttpRefusal;
import dev.berth.server.tls.TlsIdentity;
import dev.berth.server.tls.TlsReloader;
import dev.berth.telemetry.audit.Auditor;

import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Berth's HTTP server: the same routes on a Unix socket in the home and on a TCP port. */
public final class HttpServer implements ListeningPort, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(HttpServer.class);

    /** An idle keep-alive connection must not delay shutdown. */
    private static final Duration SHUTDOWN_IDLE = Duration.ofMillis(200);

    private static final int MAX_CONNECTIONS = 1000;
    private static final int HTTP_THREADS = 12;
    private static final int THREAD_IDLE_MS = 60_000;

    /** How many ports after an occupied one are tried. */
    private static final int OTHER_PORTS = 100;

    private static final int MAX_HEADER_BYTES = 16 << 10;

    private final HttpSettings settings;
    private final Timeouts timeouts;
    private final Runtime runtime;
    private final UnixSocketFile socketFile;
    private final ServerUser serverUser;
    private final Optional<TrustedProxy> proxy;
    private final Server server;
    private final Optional<TlsReloader> tls;
    private final ServerConnector tcp;

    /**
     * Time limits for connections.
     *
     * @param headers to receive all headers of a request; for the first request, measured from the
     *     connect
     * @param idle between two reads or writes
     * @param stop for open requests to finish at shutdown
     * @param streams for event streams
     */
    public record Timeouts(Duration headers, Duration idle, Duration stop, StreamTimeouts streams) {
        public static final Timeouts DEFAULT =
                new Timeouts(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(5));

        public Timeouts(Duration headers, Duration idle, Duration stop) {
            this(headers, idle, stop, StreamTimeouts.DEFAULT);
        }
    }

    /**
     * What the composition root provides and closes.
     *
     * @param lookups platform threads that find the user behind a connection
     * @param nanos a monotonic clock
     */
    public record Runtime(ExecutorService lookups, LongSupplier nanos) {}

    /** Prepares the socket and the port. The server accepts no connection before {@link #open}. */
    public HttpServer(HttpSettings settings, Runtime runtime) throws IOException {
        this(settings, Timeouts.DEFAULT, runtime);
    }

    HttpServer(HttpSettings settings, Timeouts timeouts, Runtime runtime) throws IOException {
        this.settings = settings;
        this.runtime = runtime;
        this.timeouts = timeouts;
        this.socketFile = socketFile(settings);
        this.serverUser = ServerUser.ownerOf(socketFile.privateDirectory());
        this.proxy = trustedProxy(settings, serverUser);
        this.server = new Server(threads());
        this.tls = TlsReloader.start(settings.tls());
        // With a dedicated acceptor thread. Without one, the selector accepts, and the connection
        // limit below pauses and resumes it; the selector can then fail on its own cancelled key
        // and close the port for good.
        this.tcp = new ServerConnector(server, 1, 1, tcpProtocols(tls));
        server.setStopTimeout(timeouts.stop().toMillis());
        addConnectors();
    }

    private static UnixSocketFile socketFile(HttpSettings settings) throws IOException {
        var system = settings.access().system();
        return system.isPresent()
                ? UnixSocketFile.preparePublic(settings.home(), system.get().socket())
                : UnixSocketFile.prepare(settings.home(), settings.shortRoot());
    }

    private static Optional<TrustedProxy> trustedProxy(HttpSettings settings, ServerUser server)
            throws IOException {
        var proxy = settings.access().proxy();
        return proxy.isEmpty()
                ? Optional.empty()
                : Optional.of(TrustedProxy.of(proxy.get().header(), proxy.get().user(), server));
    }

    /**
     * The users whom this server serves.
     *
     * @param accounts of this machine; a personal server does not ask for them
     */
    public ServedUsers servedUsers(Optional<Accounts> accounts) {
        return settings.access()
                .system()
                .<ServedUsers>map(
                        system ->
                                new SystemUsers(
                                        new CachedAccounts(accounts.orElseThrow(), runtime.nanos()),
                                        system.roles(),
                                        serverUser))
                .orElseGet(() -> new PersonalUsers(serverUser));
    }

    /** The cookie of logins to this server. */
    public SessionCookie sessionCookie() {
        return SessionCookie.ofHome(settings.home(), settings.isSecure());
    }

    public StreamTimeouts streamTiming() {
        return timeouts.streams();
    }

    private RequestHandler requestHandler(
            RouteTable table,
            Sessions sessions,
            Auditor auditor,
            ResponseSender.Reporting reporting) {
        return new RequestHandler(
                table,
                accessPolicy(sessions),
                new ResponseSender(reporting, timeouts.streams().deadline()),
                auditor,
                new RequestHandler.Surroundings(settings.isBehindProxy(), runtime.nanos()));
    }

    private AccessPolicy accessPolicy(Sessions sessions) {
        var rules =
                new BrowserRules(
                        settings.publicUrl(),
                        settings.corsOrigins(),
                        scheme(),
                        this::certifiedHosts);
        var authenticator =
                new Authenticator(
                        settings.auth(),
                        sessions,
                        LoopbackClients.ofThisMachine(runtime.lookups()),
                        rules,
                        proxy);
        var limits = settings.limits();
        var rateLimit =
                new RateLimit(limits.requestsPerSecond(), limits.requestBurst(), runtime.nanos());
        return new AccessPolicy(rules, authenticator, rateLimit);
    }

    private void addConnectors() {
        var unix = new UnixDomainServerConnector(server, 1, 1, http());
        unix.setUnixDomainPath(socketFile.privatePath());
        unix.setAcceptQueueSize(MAX_CONNECTIONS);
        tcp.setHost(settings.host());
        tcp.setAcceptQueueSize(MAX_CONNECTIONS);
        for (AbstractConnector connector : new AbstractConnector[] {unix, tcp}) {
            connector.setIdleTimeout(timeouts.idle().toMillis());
            connector.setShutdownIdleTimeout(SHUTDOWN_IDLE.toMillis());
            connector.addBean(new HeaderTimeout(connector.getScheduler(), timeouts.headers()));
            server.addConnector(connector);
            // One limit for each connector, so that clients of one cannot block the other.
            server.addBean(new NetworkConnectionLimit(MAX_CONNECTIONS, connector));
        }
    }

    private static QueuedThreadPool threads() {
        // The pool's threads only watch sockets. Every request runs on its own virtual thread and
        // may block.
        // All of them are started at once: at the process limit no new thread can be created.
        // A queue of the JDK: Jetty's own starts the JVM's management server.
        var threads =
                new QueuedThreadPool(
                        HTTP_THREADS, HTTP_THREADS, THREAD_IDLE_MS, new LinkedBlockingQueue<>());
        threads.setName("http");
        threads.setVirtualThreadsExecutor(
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("request-", 0).factory()));
        return threads;
    }

    private static HttpConnectionFactory http() {
        var http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(MAX_HEADER_BYTES);
        return new HttpConnectionFactory(http);
    }

    private static ConnectionFactory[] tcpProtocols(Optional<TlsReloader> tls) {
        var http = http();
        if (tls.isEmpty()) {
            return new ConnectionFactory[] {http};
        }
        // The names in Host are checked by our own rules.
        http.getHttpConfiguration().addCustomizer(new SecureRequestCustomizer(false));
        var secure = new SslConnectionFactory(tls.get().context(), http.getProtocol());
        return new ConnectionFactory[] {new PlainHttpRefusal(secure), secure, http};
    }

    private String scheme() {
        return tls.isPresent() ? "https" : "http";
    }

    private List<String> certifiedHosts() {
        return tls.map(TlsReloader::identity).map(TlsIdentity::hosts).orElse(List.of());
    }

    @Override
    public boolean hasPasswordLogin() {
        return settings.access().hasPasswordLogin();
    }

    @Override
    public Optional<String> certificateProblem(Instant now) {
        return tls.flatMap(reloader -> reloader.problem(now));
    }

    /** Starts to accept connections. */
    public void open(
            RouteTable table,
            Sessions sessions,
            Auditor auditor,
            ResponseSender.Reporting reporting)
            throws ListenFailure {
        try {
            var requestHandler = requestHandler(table, sessions, auditor, reporting);
            server.setHandler(requestHandler);
            server.setErrorHandler(requestHandler.parseErrorHandler());
            bind();
            server.start();
            // Starts the thread of the timeouts: at the process limit it could not be created.
            server.getScheduler().schedule(() -> {}, 0, TimeUnit.MILLISECONDS);
            socketFile.publish();
        } catch (Exception e) {
            close();
            throw cannotListen(e);
        }
        log.info("open url={} socket={} auth={}", url(), socketFile.socket(), settings.auth());
    }

    private void bind() throws IOException {
        int first = settings.port();
        int last =
                settings.takesNextFreePort() && first > 0
                        ? Math.min(65_535, first + OTHER_PORTS)
                        : first;
        for (int port = first; !tcp.isOpen(); port++) {
            tcp.setPort(port);
            try {
                tcp.open();
            } catch (IOException e) {
                if (port >= last || !isPortInUse(e)) {
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
        return PortOwner.of(port).map(name -> " by " + name).orElse("");
    }

    /** Jetty wraps the kernel's BindException in its own IOException. */
    private static boolean isPortInUse(Exception e) {
        return e instanceof BindException || e.getCause() instanceof BindException;
    }

    private ListenFailure cannotListen(Exception e) {
        if (!isPortInUse(e)) {
            return new ListenFailure("Berth cannot listen: " + e.getMessage(), e);
        }
        return new ListenFailure(
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

    @Override
    public String url() {
        var host =
                switch (settings.host()) {
                    case "localhost", "0.0.0.0", "::" -> HttpSettings.LOOPBACK_ADDRESS;
                    case "::1" -> "[::1]";
                    default -> settings.host();
                };
        return urlOf(host);
    }

    private String urlOf(String host) {
        return scheme() + "://" + host + ":" + tcp.getLocalPort();
    }

    /** The URL that people use in a browser. */
    public String publicUrl() {
        return settings.publicUrl()
                .map(url -> url.toString().replaceFirst("/$", ""))
                .or(this::certifiedUrl)
                .orElse(url());
    }

    /** Other machines know the server by a name in its certificate. */
    private Optional<String> certifiedUrl() {
        return settings.isLoopback()
                ? Optional.empty()
                : certifiedHosts().stream()
                        .filter(host -> !BrowserRules.isLoopbackName(host) && !host.startsWith("*"))
                        .map(this::urlOf)
                        .findFirst();
    }

    public Path socket() {
        return socketFile.socket();
    }

    /** Closes the port, so that browsers whose stream ends do not reconnect. */
    public void stopAccepting() {
        tcp.close();
    }

    /** Stops accepting connections and gives open requests a short time to finish. */
    @Override
    public void close() {
        stopAccepting();
        try {
            socketFile.remove();
        } catch (IOException e) {
            log.warn("the socket could not be removed: {}", e.getMessage());
        }
        try {
            server.stop();
        } catch (Exception e) {
            log.warn("stopping the HTTP server failed: {}", e.toString());
        }
        tls.ifPresent(TlsReloader::close);
    }
}
