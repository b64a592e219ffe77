package dev.berth.cli.link;

import dev.berth.cli.call.Surroundings;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Which server a call means. */
public final class Homes {

    /** Where a server that serves the whole machine listens. */
    static final Path SYSTEM_SOCKET = Path.of("/run/berth/berth.sock");

    private static final String SOCKET = "berth.sock";

    /** The kernel takes 107 bytes; a little is left for a name beside it while it is being made. */
    private static final int LONGEST_SOCKET_PATH = 100;

    private Homes() {}

    /** The home that a new server gets: {@code --home}, BERTH_HOME, or {@code ~/.berth}. */
    public static Path chosen(@Nullable String option, Surroundings around) {
        if (option != null) {
            return absolute(option, around);
        }
        String named = set("BERTH_HOME", around.env());
        return named == null ? own(around.env()) : absolute(named, around);
    }

    /**
     * Where to look for a running server, in this order. Whoever names one means it: further places
     * are looked at only if nothing was named.
     */
    public static List<Place> places(@Nullable String option, Surroundings around) {
        if (option != null) {
            return List.of(new Place.Home(absolute(option, around)));
        }
        String socket = set("BERTH_SOCKET", around.env());
        if (socket != null) {
            return List.of(new Place.Socket(absolute(socket, around)));
        }
        String home = set("BERTH_HOME", around.env());
        if (home != null) {
            return List.of(new Place.Home(absolute(home, around)));
        }
        return List.of(new Place.Home(own(around.env())), new Place.Socket(SYSTEM_SOCKET));
    }

    /** The socket of a home, if its path is short enough to be one. */
    static Path socketIn(Path home) {
        return home.resolve(SOCKET);
    }

    /** The file that names a home's socket where its own path would be too long. */
    static Path socketPointerIn(Path home) {
        return home.resolve(SOCKET + ".path");
    }

    static boolean isTooLong(Path socket) {
        return socket.toString().getBytes(StandardCharsets.UTF_8).length > LONGEST_SOCKET_PATH;
    }

    private static Path own(Map<String, String> env) {
        String user = set("HOME", env);
        return Path.of(user == null ? System.getProperty("user.home") : user, ".berth");
    }

    private static Path absolute(String path, Surroundings around) {
        return around.cwd().resolve(path).normalize();
    }

    private static @Nullable String set(String name, Map<String, String> env) {
        String value = env.get(name);
        return value == null || value.isEmpty() ? null : value;
    }
}
