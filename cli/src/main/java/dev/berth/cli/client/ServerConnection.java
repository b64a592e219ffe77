package dev.berth.cli.client;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliVersion;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.jsontext.JsonParser;
import dev.berth.wire.Problem;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A connection to one server. An error reply is thrown as {@link CommandFailure}. */
public final class ServerConnection implements Closeable {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration RETRY_PAUSE = Duration.ofMillis(100);

    /** Shorter outages are not reported. */
    private static final Duration REPORT_AFTER = Duration.ofSeconds(2);

    private static final String OUTCOME_UNKNOWN =
            "; the request may or may not have been carried out: check with `berth ls`";

    private final ServerAddress address;
    private final CallContext context;
    private final UnixSocketHttpClient http = new UnixSocketHttpClient();
    private final @Nullable String choice;
    private boolean versionSeen;
    private boolean choicePrinted;

    private ServerConnection(ServerAddress address, @Nullable String choice, CallContext context) {
        this.address = address;
        this.choice = choice;
        this.context = context;
    }

    /** Connects to the addressed server, which must be running. */
    public static ServerConnection open(ParsedOptions options, CallContext context) {
        ServerConnection connection = openIfRunning(options, context);
        if (connection == null) {
            throw noServerRunning(options, context);
        }
        return connection;
    }

    /** The exception that {@link #open} throws if no server listens. */
    public static CommandFailure noServerRunning(ParsedOptions options, CallContext context) {
        return noServerAt(ServerAddresses.expected(ServerAddresses.candidates(options, context)));
    }

    /** Like {@link #open}, but returns null if no server listens. */
    public static @Nullable ServerConnection openIfRunning(
            ParsedOptions options, CallContext context) {
        List<ServerAddress> candidates = ServerAddresses.candidates(options, context);
        for (ServerAddress address : candidates) {
            String choice = ServerAddresses.choice(address, candidates);
            ServerConnection connection = new ServerConnection(address, choice, context);
            try {
                connection.http.connect(address.socket(), CONNECT_TIMEOUT);
                if (context.isTerminal()) {
                    connection.printChoice();
                }
                return connection;
            } catch (ConnectionFailure failure) {
                if (failure.kind() != ConnectionFailure.Kind.NO_SERVER) {
                    throw connection.failureOf(failure, ApiRequest.get(""));
                }
            }
        }
        return null;
    }

    /**
     * Prints once which of two servers this one is. A command that submits something calls this
     * also without a terminal.
     */
    public void printChoice() {
        if (choice != null && !choicePrinted) {
            context.printMessage(SafeText.line(choice));
        }
        choicePrinted = true;
    }

    /** Which of two servers this one is; null if there is only one. */
    public @Nullable String choice() {
        return choice;
    }

    /** True if each task runs as its owner. A server in a home has only one user. */
    public boolean isOfManyUsers() {
        return address instanceof ServerAddress.SocketFile
                && "system".equals(WireReader.serverInfo(json(get("/api/server"))).mode());
    }

    /** The home of the addressed server, or null if only a socket was given. */
    public @Nullable Path home() {
        return address instanceof ServerAddress.HomeDirectory(Path home) ? home : null;
    }

    /**
     * Sends a GET request. Retries once, because the server may have closed the open connection.
     */
    public ApiReply get(String target) {
        ApiRequest request = ApiRequest.get(target);
        try {
            return accepted(exchange(request));
        } catch (ConnectionFailure failure) {
            if (!failure.isRetryable()) {
                throw failureOf(failure, request);
            }
        }
        return send(request);
    }

    /** Sends the request once. */
    public ApiReply send(ApiRequest request) {
        try {
            return accepted(exchange(request));
        } catch (ConnectionFailure failure) {
            throw failureOf(failure, request);
        }
    }

    /** Sends the request once and returns the reply even if it is an error. */
    public ApiReply sendUnchecked(ApiRequest request) {
        try {
            return exchange(request);
        } catch (ConnectionFailure failure) {
            throw failureOf(failure, request);
        }
    }

    /**
     * Repeats the request until a reply comes, also across a restart of the server. Only for
     * requests that are safe to send twice.
     *
     * @param outage how long the server may be unreachable
     */
    public ApiReply sendWithRetries(Duration outage, ApiRequest request)
            throws InterruptedException {
        Instant lostAt = null;
        boolean isReported = false;
        while (true) {
            try {
                return accepted(exchange(request));
            } catch (ConnectionFailure failure) {
                Instant now = context.clock().now();
                lostAt = lostAt == null ? now : lostAt;
                Duration outageSoFar = Duration.between(lostAt, now);
                if (!failure.isRetryable() || outageSoFar.compareTo(outage) >= 0) {
                    throw failureOf(failure, request);
                }
                if (!isReported && outageSoFar.compareTo(REPORT_AFTER) >= 0) {
                    context.printMessage("lost the server at " + address() + "; retrying");
                    isReported = true;
                }
            }
            context.clock().sleep(RETRY_PAUSE);
        }
    }

    /**
     * Gives back the content of a reply that nobody uses any more, for a later reply of the same
     * length. From any thread.
     */
    public void recycle(byte[] content) {
        http.recycle(content);
    }

    /** The body of a reply, which must be JSON. */
    public @Nullable Object json(ApiReply reply) {
        try {
            return JsonParser.parse(reply.body());
        } catch (JsonParser.MalformedJson malformed) {
            throw new CommandFailure(
                    "the server at " + address() + " sent no JSON: " + malformed.getMessage());
        }
    }

    private ApiReply exchange(ApiRequest request) throws ConnectionFailure {
        ApiReply reply =
                http.exchange(
                        address.socket(),
                        request.withHeader("Accept-Language", context.language()));
        String version = reply.header("x-berth-version");
        if (!versionSeen && !version.isEmpty() && !version.equals(CliVersion.CURRENT)) {
            context.printMessage(
                    "the server is version "
                            + SafeText.line(version)
                            + ", this command is version "
                            + CliVersion.CURRENT);
        }
        versionSeen = true;
        return reply;
    }

    private static ApiReply accepted(ApiReply reply) {
        if (reply.isError()) {
            throw new CommandFailure(errorMessage(reply));
        }
        return reply;
    }

    /** The reason for an error reply, in one line that is safe to print. */
    public static String errorMessage(ApiReply reply) {
        Problem problem;
        try {
            problem = WireReader.problem(JsonParser.parse(reply.body()));
        } catch (JsonParser.MalformedJson unexplained) {
            problem = WireReader.problem(null);
        }
        if (problem.detail().isEmpty()) {
            return "the server answered " + reply.status() + " and gave no reason";
        }
        String field = problem.field();
        boolean isNamed = field == null || problem.detail().contains(field);
        return SafeText.line(isNamed ? problem.detail() : problem.detail() + " (" + field + ")");
    }

    private CommandFailure failureOf(ConnectionFailure failure, ApiRequest request) {
        String reason = SafeText.line(String.valueOf(failure.getMessage()));
        return switch (failure.kind()) {
            case NO_SERVER -> noServerAt(address);
            case PERMISSION_DENIED ->
                    new CommandFailure(
                            "you may not use the server at " + address() + ": " + reason);
            case CONNECTION_LOST, TIMEOUT ->
                    new CommandFailure(
                            "no answer from the server at "
                                    + address()
                                    + ": "
                                    + reason
                                    + (request.method().equals("GET") ? "" : OUTCOME_UNKNOWN));
            case MALFORMED_REPLY ->
                    new CommandFailure(
                            "cannot read the answer of the server at " + address() + ": " + reason);
        };
    }

    private static CommandFailure noServerAt(ServerAddress address) {
        return new CommandFailure(
                "No Berth server at "
                        + SafeText.line(address.path().toString())
                        + (address instanceof ServerAddress.SocketFile
                                ? ": `systemctl status berth` shows the server of this machine,"
                                        + " `berth start` starts your own"
                                : ": start one with `berth start`"));
    }

    private String address() {
        return SafeText.line(address.path().toString());
    }

    @Override
    public void close() {
        http.close();
    }
}
