package dev.berth.cli.client;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Finds the server that a call addresses. */
public final class ServerAddresses {

    /** The socket of the server of this machine, unless BERTH_SYSTEM_SOCKET names another. */
    public static final Path SYSTEM_SOCKET = Path.of("/run/berth/berth.sock");

    /** The file in a personal home whose tasks the server of this machine took over. */
    public static final String IMPORT_MARKER = "imported.json";

    private static final String SOCKET = "berth.sock";

    /**
     * The kernel accepts 107 bytes. The server first binds a longer temporary name beside the
     * socket.
     */
    private static final int MAX_SOCKET_PATH_BYTES = 100;

    private ServerAddresses() {}

    /**
     * The home whose server a command starts, stops or examines.
     *
     * @throws UsageError the server of the machine is meant, which systemd controls
     */
    public static Path personalHome(ParsedOptions options, CallContext context) {
        if (options.has(CommandOption.SYSTEM)) {
            throw new UsageError(
                    "this command is for your own server; the server of this machine is a service"
                            + " (`systemctl status berth`, `journalctl -u berth`)");
        }
        return homeForNewServer(options.value(CommandOption.HOME), context);
    }

    /** The home of a new server: {@code --home}, BERTH_HOME, or {@code ~/.berth}. */
    public static Path homeForNewServer(@Nullable String option, CallContext context) {
        if (option != null) {
            return absolute(option, context);
        }
        String configured = nonEmpty("BERTH_HOME", context.env());
        return configured == null ? userHome(context.env()) : absolute(configured, context);
    }

    /**
     * The addresses to try for a running server, in this order. If the user names a server, only
     * that one is tried.
     */
    public static List<ServerAddress> candidates(ParsedOptions options, CallContext context) {
        String option = options.value(CommandOption.HOME);
        if (options.has(CommandOption.SYSTEM)) {
            if (option != null) {
                throw new UsageError("either --home or --system, not both");
            }
            return List.of(new ServerAddress.SocketFile(systemSocket(context)));
        }
        if (option != null) {
            return List.of(new ServerAddress.HomeDirectory(absolute(option, context)));
        }
        String socket = nonEmpty("BERTH_SOCKET", context.env());
        if (socket != null) {
            return List.of(new ServerAddress.SocketFile(absolute(socket, context)));
        }
        String home = nonEmpty("BERTH_HOME", context.env());
        if (home != null) {
            return List.of(new ServerAddress.HomeDirectory(absolute(home, context)));
        }
        return List.of(
                new ServerAddress.HomeDirectory(userHome(context.env())),
                new ServerAddress.SocketFile(systemSocket(context)));
    }

    /** The server that the user misses if none runs: that of the machine, if it is installed. */
    static ServerAddress expected(List<ServerAddress> candidates) {
        Path own = candidates.getFirst().path();
        Path installed = candidates.getLast().path().resolveSibling("");
        return !Files.exists(own) && Files.isDirectory(installed)
                ? candidates.getLast()
                : candidates.getFirst();
    }

    private static Path systemSocket(CallContext context) {
        String configured = nonEmpty("BERTH_SYSTEM_SOCKET", context.env());
        return configured == null ? SYSTEM_SOCKET : absolute(configured, context);
    }

    /**
     * Says which server was found if the user named none and there is a second one; otherwise null.
     *
     * @param candidates the addresses that were tried
     */
    static @Nullable String choice(ServerAddress found, List<ServerAddress> candidates) {
        if (candidates.size() < 2) {
            return null;
        }
        Path own = candidates.getFirst().path();
        Path system = candidates.getLast().path();
        if (found.equals(candidates.getFirst())) {
            return Files.exists(system)
                    ? "using your own server at "
                            + own
                            + "; --system selects the server of this machine"
                    : null;
        }
        return Files.isDirectory(own) && !Files.exists(own.resolve(IMPORT_MARKER))
                ? "using the server of this machine, because your own server at "
                        + own
                        + " does not run; `berth start` starts it"
                : null;
    }

    /** The socket of a home whose path is short enough for a socket address. */
    static Path socketPath(Path home) {
        return home.resolve(SOCKET);
    }

    /**
     * The file that contains the path of the socket if the home's own path is too long for a socket
     * address.
     */
    static Path socketPointerPath(Path home) {
        return home.resolve(SOCKET + ".path");
    }

    static boolean isTooLong(Path socket) {
        return socket.toString().getBytes(StandardCharsets.UTF_8).length > MAX_SOCKET_PATH_BYTES;
    }

    private static Path userHome(Map<String, String> env) {
        String user = nonEmpty("HOME", env);
        return Path.of(user == null ? System.getProperty("user.home") : user, ".berth");
    }

    private static Path absolute(String path, CallContext context) {
        return context.cwd().resolve(path).normalize();
    }

    private static @Nullable String nonEmpty(String name, Map<String, String> env) {
        String value = env.get(name);
        return value == null || value.isEmpty() ? null : value;
    }
}
