package dev.berth.server.api.task;

import dev.berth.core.Rejected;
import dev.berth.core.task.EnvironmentName;
import dev.berth.core.task.ShellContext;
import dev.berth.http.JsonFields;
import dev.berth.http.RejectedException;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Reads the shell from which the command line submits: environment, umask and soft limits. */
public final class ShellRequest {

    public static final String FIELD = "shell";

    private static final int MAX_ENVIRONMENT_BYTES = 128 << 10;
    private static final String UNLIMITED = "unlimited";
    private static final Pattern UMASK = Pattern.compile("0?[0-7]{3}");
    private static final Pattern LIMIT = Pattern.compile("[0-9]{1,18}");

    /** The names of {@code prlimit}. */
    private static final List<String> LIMITS =
            List.of(
                    "as",
                    "core",
                    "cpu",
                    "data",
                    "fsize",
                    "locks",
                    "memlock",
                    "msgqueue",
                    "nice",
                    "nofile",
                    "nproc",
                    "rss",
                    "rtprio",
                    "rttime",
                    "sigpending",
                    "stack");

    private ShellRequest() {}

    /**
     * @param accounts a server that runs all tasks as its own user has no use for a shell
     */
    public static Optional<ShellContext> read(JsonFields fields, OwnerAccounts accounts)
            throws RejectedException {
        var object = fields.object(FIELD);
        if (object.isEmpty()) {
            return Optional.empty();
        }
        if (!accounts.arePerOwner()) {
            throw RejectedException.invalid("shell.one_user", FIELD);
        }
        var shell = object.get();
        try {
            shell.requireKnown(List.of("environment", "umask", "limits"), List.of());
            return Optional.of(new ShellContext(environment(shell), umask(shell), limits(shell)));
        } catch (RejectedException refused) {
            throw refused.inside(FIELD);
        }
    }

    private static SortedMap<String, String> environment(JsonFields shell)
            throws RejectedException {
        var environment = shell.textMap("environment");
        long bytes = 0;
        for (var variable : environment.entrySet()) {
            var name = variable.getKey();
            if (EnvironmentName.problem(name).isPresent()) {
                throw new RejectedException(
                        Rejected.invalid("shell.name", "environment." + name).with("name", name));
            }
            bytes +=
                    name.length() + variable.getValue().getBytes(StandardCharsets.UTF_8).length + 2;
        }
        if (bytes > MAX_ENVIRONMENT_BYTES) {
            throw new RejectedException(
                    Rejected.invalid("shell.too_large", "environment")
                            .with("bytes", bytes)
                            .with("max", MAX_ENVIRONMENT_BYTES));
        }
        return environment;
    }

    private static String umask(JsonFields shell) throws RejectedException {
        var umask = shell.text("umask").orElse("022");
        if (!UMASK.matcher(umask).matches()) {
            throw RejectedException.invalid("shell.umask", "umask");
        }
        return umask;
    }

    private static SortedMap<String, Long> limits(JsonFields shell) throws RejectedException {
        var limits = new TreeMap<String, Long>();
        for (var limit : shell.textMap("limits").entrySet()) {
            var name = limit.getKey();
            var value = limit.getValue();
            if (!LIMITS.contains(name)) {
                throw new RejectedException(
                        Rejected.invalid("shell.limit_unknown", "limits." + name)
                                .with("known", String.join(", ", LIMITS)));
            }
            if (value.equals(UNLIMITED)) {
                limits.put(name, ShellContext.UNLIMITED);
            } else if (LIMIT.matcher(value).matches()) {
                limits.put(name, Long.valueOf(value));
            } else {
                throw RejectedException.invalid("shell.limit", "limits." + name);
            }
        }
        return limits;
    }
}
