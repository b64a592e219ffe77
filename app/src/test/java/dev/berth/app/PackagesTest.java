package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The packages of this build, tried in an empty Debian without Java. */
@Tag("slow")
final class PackagesTest {

    private static final Path SCRIPTS =
            Path.of(System.getProperty("berth.root", "..")).resolve("ops/package");

    private static final long MAX_PACKAGE_BYTES = 55_000_000;

    @TempDir private Path directory;

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void packagesInstallServeUpgradeAndPurge() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "needs root for a chroot");
        for (var program : List.of("debootstrap", "dpkg-deb", "strip", "unshare")) {
            assumeTrue(isInstalled(program), "needs " + program);
        }
        var output = directory.resolve("packages");

        var printed =
                run(
                        SCRIPTS.resolve("dist").toString(),
                        System.getProperty("java.home"),
                        System.getProperty("berth.dist"),
                        output.toString());

        var paths = printed.lines().map(Path::of).toList();
        assertThat(paths).hasSize(4).allMatch(Files::isRegularFile);
        var tarball = paths.get(0);
        assertThat(tarball.toString()).endsWith(".tar.gz");
        assertThat(Files.size(tarball)).isLessThanOrEqualTo(MAX_PACKAGE_BYTES);
        var tried =
                run(
                        SCRIPTS.resolve("test-in-chroot").toString(),
                        tarball.toString(),
                        paths.get(1).toString(),
                        cache().toString());
        System.out.println(tried);
        assertThat(tried).contains("packages: all well");
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

    private String run(String... command) throws IOException, InterruptedException {
        var errors = directory.resolve("stderr").toFile();
        var process = new ProcessBuilder(command).redirectError(errors).start();
        var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as("%s: %s%s", command[0], printed, Files.readString(errors.toPath()))
                .isZero();
        return printed;
    }
}
