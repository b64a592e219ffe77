package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The packages of this build, tried in an empty Debian without Java. */
@Tag("slow")
final class PackagesTest {

    private static final Path SCRIPTS =
            Path.of(System.getProperty("berth.root", "..")).resolve("ops/package");

    private static final long MAX_PACKAGE_BYTES = 55_000_000;

    @TempDir private static Path directory;
    private static List<Path> packages = List.of();

    /** In each test, so that a report names each one that is skipped. */
    @BeforeEach
    void build() throws Exception {
        assumePrograms("dpkg-deb", "strip");
        if (packages.isEmpty()) {
            packages = build(directory, directory.resolve("packages"), Map.of());
        }
    }

    private static void assumePrograms(String... programs) {
        for (var program : programs) {
            assumeTrue(isInstalled(program), "needs " + program);
        }
    }

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void packagesInstallServeUpgradeAndPurge() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "needs root for a chroot");
        assumePrograms("debootstrap", "unshare");

        assertThat(packages).hasSize(4).allMatch(Files::isRegularFile);
        var tarball = packages.get(0);
        assertThat(tarball.toString()).endsWith(".tar.gz");
        assertThat(Files.size(tarball)).isLessThanOrEqualTo(MAX_PACKAGE_BYTES);
        var tried =
                run(
                        SCRIPTS.resolve("test-in-chroot").toString(),
                        tarball.toString(),
                        packages.get(1).toString(),
                        cache().toString());
        System.out.println(tried);
        assertThat(tried).contains("packages: all well");
    }

    /**
     * A JVM that writes an archive sees its directory, its environment and the machine's memory.
     */
    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void packagesDoNotDependOnTheDirectoryAndTheEnvironmentOfTheirBuild() throws Exception {
        var elsewhere = Files.createDirectory(directory.resolve("a directory 训练"));
        var environment =
                Map.of(
                        "BERTH_JAVA_OPTS", "-Xmx3g",
                        "COLUMNS", "40",
                        "JAVA_TOOL_OPTIONS", "-Xmx40g",
                        "LANG", "C.UTF-8",
                        "TMPDIR", elsewhere.toString(),
                        "TZ", "Asia/Tokyo");

        var again = build(elsewhere, Path.of("packages"), environment);

        for (int i = 0; i < packages.size(); i++) {
            assertThat(Files.mismatch(packages.get(i), again.get(i)))
                    .as("%s", again.get(i))
                    .isEqualTo(-1);
        }
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void lintianReportsNothing() throws Exception {
        assumePrograms("lintian");
        assertThat(run("lintian", "--allow-root", packages.get(1).toString())).isEmpty();
    }

    private static List<Path> build(Path from, Path output, Map<String, String> environment)
            throws IOException, InterruptedException {
        var builder =
                new ProcessBuilder(
                        "bash",
                        SCRIPTS.resolve("dist").toRealPath().toString(),
                        System.getProperty("java.home"),
                        System.getProperty("berth.dist"),
                        output.toString());
        builder.directory(from.toFile()).environment().putAll(environment);
        return run(builder).lines().map(Path::of).toList();
    }

    /** Where {@code ./check} keeps what it has fetched. */
    private static Path cache() {
        var caches =
                Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
                        .map(Path::of)
                        .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache"));
        return caches.resolve("berth-check");
    }

    private static boolean isInstalled(String program) {
        for (var directory : System.getenv("PATH").split(":")) {
            if (Files.isExecutable(Path.of(directory, program))) {
                return true;
            }
        }
        return Files.isExecutable(Path.of("/usr/sbin", program));
    }

    private static String run(String... command) throws IOException, InterruptedException {
        return run(new ProcessBuilder(command));
    }

    private static String run(ProcessBuilder builder) throws IOException, InterruptedException {
        var errors = directory.resolve("stderr").toFile();
        var process = builder.redirectError(errors).start();
        var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as("%s: %s%s", builder.command(), printed, Files.readString(errors.toPath()))
                .isZero();
        return printed;
    }
}
