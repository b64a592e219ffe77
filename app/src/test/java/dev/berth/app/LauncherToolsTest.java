package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The launcher of a checkout on machines of other distributions, which lack what the build needs.
 */
final class LauncherToolsTest {

    /** All that the launcher itself calls. */
    private static final List<String> PROGRAMS =
            List.of(
                    "cat",
                    "dirname",
                    "env",
                    "find",
                    "flock",
                    "grep",
                    "head",
                    "id",
                    "locale",
                    "mkdir",
                    "readlink",
                    "sed",
                    "sort",
                    "touch",
                    "uname");

    /** As another distribution would see this machine: no JDK is installed. */
    private static final String OTHER_MACHINE =
            """
            mount --bind "$1/os-release" /etc/os-release
            [ ! -d /usr/lib/jvm ] || mount -t tmpfs none /usr/lib/jvm
            exec env -i PATH="$1/bin" LC_ALL=C.UTF-8 "$1/berth" $2
            """;

    private static final String ALL_MISSING =
            "berth: to build Berth, install a JDK 25 or newer, Maven 3.8 or newer, "
                    + "Node.js 20.19 or newer with npm: ";

    private static final String ADOPTIUM =
            "wget -qO- https://packages.adoptium.net/artifactory/api/gpg/key/public"
                    + " | tee /etc/apt/trusted.gpg.d/adoptium.asc >/dev/null && "
                    + "echo 'deb https://packages.adoptium.net/artifactory/deb %s main'"
                    + " | tee /etc/apt/sources.list.d/adoptium.list && ";

    private static final String NODESOURCE =
            "wget -qO- https://deb.nodesource.com/setup_22.x | bash - && ";

    @TempDir private Path directory;

    @BeforeEach
    void checkout() throws Exception {
        var status = new ProcessBuilder("unshare", "-Urm", "true").start().waitFor();
        assumeTrue(status == 0, "this machine lets nobody mount a file (unshare -Urm)");
        var root = Path.of(System.getProperty("berth.root", ".."));
        Files.createDirectories(directory.resolve("ops/package"));
        Files.createDirectory(directory.resolve("bin"));
        for (var file : List.of("berth", "ops/package/berth", "pom.xml")) {
            Files.copy(root.resolve(file), directory.resolve(file));
        }
        for (var name : PROGRAMS) {
            Files.createSymbolicLink(directory.resolve("bin").resolve(name), find(name));
        }
        Files.createSymbolicLink(directory.resolve("bin/bash"), Path.of("/bin/bash"));
        program("wget");
    }

    private static Path find(String name) {
        return List.of("/usr/bin", "/bin", "/usr/sbin").stream()
                .map(where -> Path.of(where, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not installed"));
    }

    private void program(String name, String... lines) throws IOException {
        var file = directory.resolve("bin").resolve(name);
        Files.deleteIfExists(file);
        Files.writeString(file, "#!/bin/bash\n" + String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** What apt would install. */
    private void candidate(String name, String version) throws IOException {
        program(
                "apt-cache",
                "[[ $2 == %s ]] && printf '%%s:\\n  Candidate: %s\\n' \"$2\""
                        .formatted(name, version));
    }

    @Test
    void anOldDebianGetsTheRepositoriesOfTheJdkAndOfNode() throws Exception {
        candidate("nodejs", "18.20.4+dfsg-1~deb12u1");

        assertThat(berth("ID=debian\nVERSION_CODENAME=bookworm\n", "--version"))
                .isEqualTo(
                        ALL_MISSING
                                + ADOPTIUM.formatted("bookworm")
                                + NODESOURCE
                                + "apt update && apt install temurin-25-jdk maven nodejs\n");
    }

    @Test
    void aDerivativeGetsTheNameOfItsUbuntu() throws Exception {
        candidate("nodejs", "22.1.0");

        assertThat(
                        berth(
                                "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"
                                        + "VERSION_CODENAME=zara\nUBUNTU_CODENAME=noble\n",
                                "--version"))
                .isEqualTo(
                        ALL_MISSING
                                + ADOPTIUM.formatted("noble")
                                + "apt update && apt install temurin-25-jdk maven nodejs npm\n");
    }

    @Test
    void otherDistributionsGetTheirOwnCommand() throws Exception {
        assertThat(berth("ID=fedora\n", "--version"))
                .isEqualTo(ALL_MISSING + "dnf install java-25-openjdk-devel maven nodejs npm\n");
        assertThat(berth("ID=arch\n", "--version"))
                .isEqualTo(ALL_MISSING + "pacman -S jdk-openjdk maven nodejs npm\n");
        assertThat(berth("ID=opensuse-leap\nID_LIKE=\"suse opensuse\"\n", "--version"))
                .isEqualTo(
                        ALL_MISSING
                                + "zypper install java-25-openjdk-devel maven nodejs22 npm22\n");
        assertThat(berth("ID=void\n", "--version"))
                .isEqualTo(
                        ALL_MISSING
                                + "see https://adoptium.net, https://maven.apache.org"
                                + " and https://nodejs.org\n");
    }

    @Test
    void onlyWhatIsMissingIsNamed() throws Exception {
        program("mvn");
        program("npm");
        program("node", "echo 22.1.0");

        assertThat(berth("ID=fedora\n", "--version"))
                .isEqualTo(
                        "berth: to build Berth, install a JDK 25 or newer: "
                                + "dnf install java-25-openjdk-devel\n");
    }

    @Test
    void packagesNeedACompilerToo() throws Exception {
        program("mvn");
        program("npm");
        program("node", "echo 22.1.0");

        assertThat(berth("ID=debian\nVERSION_CODENAME=trixie\n", "dist"))
                .startsWith(
                        "berth: to build Berth, install a JDK 25 or newer, strip, a C compiler: ")
                .endsWith("apt install temurin-25-jdk binutils gcc linux-libc-dev\n");
    }

    private String berth(String release, String command) throws Exception {
        Files.writeString(directory.resolve("os-release"), release);
        var builder =
                new ProcessBuilder(
                        "unshare",
                        "-Urm",
                        "bash",
                        "-c",
                        OTHER_MACHINE,
                        "-",
                        directory.toString(),
                        command);
        var process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(printed).isNotZero();
        return printed;
    }
}
