package dev.berth.app;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The environment of a server that root starts as another account. */
final class ServerEnvironment {

    private static final String PATH =
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    private static final Set<String> KEPT =
            Set.of("JAVA_HOME", "LANG", "LC_ALL", "LC_CTYPE", "SLURM_CONF", "TZ");

    /** They choose another server than this one. */
    private static final Set<String> DROPPED = Set.of("BERTH_HOME", "BERTH_SOCKET");

    private ServerEnvironment() {}

    /** The settings of Berth and the language stay; all else of root's shell is dropped. */
    static SortedMap<String, String> of(Map<String, String> own, Path home) {
        var environment = new TreeMap<String, String>();
        own.forEach(
                (name, value) -> {
                    boolean isOurs = name.startsWith("BERTH_") && !DROPPED.contains(name);
                    if (isOurs || KEPT.contains(name)) {
                        environment.put(name, value);
                    }
                });
        environment.put("PATH", PATH);
        environment.put("HOME", home.toString());
        return environment;
    }
}
