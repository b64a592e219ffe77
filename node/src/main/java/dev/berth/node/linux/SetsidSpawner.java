package dev.berth.node.linux;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * By the JDK and {@code setsid}, for C libraries without what the fast way needs. The JDK reaps.
 */
final class SetsidSpawner implements Spawner {
    private static final Path NOTHING = Path.of("/dev/null");

    @Override
    public boolean opensRecord() {
        return false;
    }

    @Override
    public Spawned spawn(Order order) throws IOException {
        create(order.log());
        var log = order.log().toFile();
        // Not being the leader of its group, setsid makes the session and becomes the program: one
        // pid.
        var command = new ArrayList<>(List.of("setsid"));
        command.addAll(order.command());
        var builder =
                new ProcessBuilder(command)
                        .directory(Path.of("/").toFile())
                        .redirectInput(Redirect.from(NOTHING.toFile()))
                        .redirectOutput(Redirect.appendTo(log))
                        .redirectErrorStream(true);
        return new Spawned(builder.start().pid(), false);
    }

    private static void create(Path log) throws IOException {
        var mode =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Files.newByteChannel(
                        log, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND), mode)
                .close();
    }
}
