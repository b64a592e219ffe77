package dev.berth.cli.client;

import dev.berth.cli.call.CallContext;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Finds the server that a call addresses. */
public final class ServerAddresses {

    /** The socket of a server that serves the whole machine. */
    static final Path SYSTEM_SOCKET = Path.of("/run/berth/berth.sock");

    private static final String SOCKET = "berth.sock";

    /**
     * The kernel accepts 107 bytes. The server first binds a longer temporary name beside the
     * socket.
     */
    private static final int MAX_SOCKET_PATH_BYTES = 100;

    private ServerAddresses() {}

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
    public static List<ServerAddress> candidates(@Nullable String option, CallContext context) {
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
                new ServerAddress.SocketFile(SYSTEM_SOCKET));
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
