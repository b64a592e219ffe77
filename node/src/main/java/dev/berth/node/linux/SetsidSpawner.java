package dev.berth.node.linux;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Uses the JDK and {@code setsid}, for C libraries that lack the functions of {@link PosixSpawner}.
 * The JDK reaps the process.
 */
final class SetsidSpawner implements Spawner {
    private static final Path NOTHING = Path.of("/dev/null");

    @Override
    public boolean opensExitRecord() {
        return false;
    }

    @Override
    public boolean entersCgroups() {
        return false;
    }

    @Override
    public Spawned spawn(SpawnRequest order) throws IOException {
        create(order.log());
        var log = order.log().toFile();
        // setsid is not the leader of its process group, so it creates the session and executes the
        // program without a fork: one pid.
        var command = new ArrayList<>(List.of("setsid"));
        command.addAll(order.command());
        var builder =
                new ProcessBuilder(command)
                        .directory(Path.of("/").toFile())
                        .redirectInput(Redirect.from(NOTHING.toFile()))
                        .redirectOutput(Redirect.appendTo(log))
                        .redirectErrorStream(true);
        order.environment().ifPresent(variables -> replace(builder.environment(), variables));
        return new Spawned(builder.start().pid(), false);
    }

    private static void replace(Map<String, String> environment, List<String> variables) {
        environment.clear();
        for (var variable : variables) {
            int cut = variable.indexOf('=');
            environment.put(variable.substring(0, cut), variable.substring(cut + 1));
        }
    }

    private static void create(Path log) throws IOException {
        var mode =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Files.newByteChannel(
                        log, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND), mode)
                .close();
    }
}
