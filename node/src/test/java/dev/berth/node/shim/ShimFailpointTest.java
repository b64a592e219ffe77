package dev.berth.node.shim;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.node.process.ExitWatcher.ProcessEnd;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

@ParameterizedClass
@EnumSource
class ShimFailpointTest {
    @Parameter ShimKind kind;
    @TempDir Path root;
    private ShimFixture shims;
    private Path points;

    @BeforeEach
    void open() throws IOException {
        shims = new ShimFixture(root, kind);
        points = Files.createDirectory(root.resolve("points"));
    }

    @AfterEach
    void close() throws IOException {
        if (shims != null) {
            shims.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "shim.before-go, Absent, Absent, false",
        "shim.in-go, Empty, Absent, false",
        "shim.after-go, Taken, Absent, false",
        "shim.before-command, Taken, Absent, false",
        "shim.after-command, Taken, Absent, true",
        "shim.after-record, Taken, Code, true",
        "shim.after-rename, Taken, Code, true",
    })
    void killedAtAFailpointItLeavesReadableFiles(
            String point, String go, String record, boolean hasRun) throws Exception {
        var directory = shims.prepare(order());
        arm(point);
        try (var shim = shims.start(directory)) {
            eventually("held at " + point, () -> isHeldAt(point, shim.shim().pid()));

            assertThat(GoFile.read(directory.go()).getClass().getSimpleName()).isEqualTo(go);
            shim.kill();
            shim.await();

            assertThat(GoFile.read(directory.go()).getClass().getSimpleName()).isEqualTo(go);
            assertThat(ExitRecord.read(directory).getClass().getSimpleName()).isEqualTo(record);
            assertThat(Files.exists(root.resolve("ran"))).isEqualTo(hasRun);
        }
        ExitRecord.publish(directory);
        assertThat(Files.exists(directory.exitRecord())).isEqualTo(record.equals("Code"));
    }

    @ParameterizedTest
    @CsvSource({
        "shim.before-go",
        "shim.in-go",
        "shim.after-go",
        "shim.before-command",
        "shim.after-command",
        "shim.after-record",
        "shim.after-rename",
    })
    void pausedAtAFailpointItEndsNormally(String point) throws Exception {
        arm(point);
        try (var shim = shims.start(shims.prepare(order()))) {
            eventually("held at " + point, () -> isHeldAt(point, shim.shim().pid()));
            Files.delete(points.resolve(point + ".arm"));

            var ran = shim.await();
            assertThat(ran.end()).isEqualTo(shims.endOf(3));
            assertThat(ran.code()).isEqualTo(3);
            assertThat(GoFile.read(shim.directory().go())).isEqualTo(new GoFile.Taken(shim.shim()));
            assertThat(root.resolve("ran")).hasContent("once\n");
        }
    }

    @Test
    void theServerMayWriteATombstoneBeforeGo() throws Exception {
        var directory = shims.prepare(order());
        arm("shim.before-go");
        try (var shim = shims.start(directory)) {
            eventually("held", () -> isHeldAt("shim.before-go", shim.shim().pid()));
            assertThat(GoFile.writeTombstone(directory.go())).isTrue();
            Files.delete(points.resolve("shim.before-go.arm"));

            assertThat(shim.await().end()).isEqualTo(new ProcessEnd.Exited(75));
        }
        assertThat(root.resolve("ran")).doesNotExist();
    }

    @Test
    void failpointVariableIsHiddenFromTheCommand() throws Exception {
        var directory = shims.prepare(order());
        var process =
                new ProcessBuilder(
                        shims.programFile().toString(), "-p", directory.runScript().toString());
        process.environment().put("BERTH_FAILPOINTS", points.toString());
        process.redirectOutput(directory.log().toFile())
                .redirectErrorStream(true)
                .start()
                .waitFor();

        assertThat(directory.log()).content().contains("[]\n");
    }

    private ShimParameters order() {
        var plain = shims.order("echo once >>ran; echo \"[$BERTH_FAILPOINTS]\"; exit 3");
        return new ShimParameters(
                plain.marker(),
                plain.command(),
                root,
                new TreeMap<>(),
                List.of(),
                Optional.empty(),
                Optional.of(points),
                Optional.empty());
    }

    private void arm(String point) throws IOException {
        Files.createFile(points.resolve(point + ".arm"));
    }

    private boolean isHeldAt(String point, long pid) throws IOException {
        var hit = points.resolve(point + ".hit");
        return Files.exists(hit) && Files.readString(hit).equals(pid + "\n");
    }
}
