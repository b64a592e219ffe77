package dev.berth.app.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.cli.Cli;
import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliClock;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An installation below another root directory. */
class SystemInstallTest {

    @TempDir private Path directory;
    private Path root;
    private Path program;

    @BeforeEach
    void build() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        program = Files.createDirectories(directory.resolve("dist"));
        Files.createDirectory(program.resolve("lib"));
        Files.writeString(program.resolve("lib/berth.jar"), "first");
        Files.writeString(program.resolve("cli.jsa"), "cache");
        Files.writeString(program.resolve("berth"), "#!/bin/bash\necho installed \"$0\"\n");
    }

    private record Result(int status, String text) {}

    private Result run(String... words) {
        var arguments = new ArrayList<>(List.of("system"));
        arguments.addAll(List.of(words));
        arguments.addAll(List.of("--root", root.toString(), "--program", program.toString()));
        var output = new ByteArrayOutputStream();
        var stream = new PrintStream(output, true, StandardCharsets.UTF_8);
        var context =
                new CallContext(
                        InputStream.nullInputStream(),
                        stream,
                        stream,
                        Map.of(),
                        directory,
                        false,
                        () -> 0,
                        CliClock.SYSTEM);
        int status =
                new Cli(List.of(new SystemCommand()))
                        .run(arguments.toArray(String[]::new), context);
        return new Result(status, output.toString(StandardCharsets.UTF_8));
    }

    private Path at(String path) {
        return root.resolve(path);
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(
                Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void everythingIsInPlaceWithItsPermissions() throws Exception {
        var result = run("install");

        assertThat(result.status()).as(result.text()).isZero();
        assertThat(mode(at("opt"))).isEqualTo("rwxr-xr-x");
        assertThat(mode(at("var/lib/berth"))).isEqualTo("rwxr-xr-x");
        assertThat(mode(at("var/lib/berth/node"))).isEqualTo("rwx--x--x");
        assertThat(mode(at("var/lib/berth/server"))).isEqualTo("rwx------");
        assertThat(mode(at("etc/berth/config.yaml"))).isEqualTo("rw-r-----");
        assertThat(mode(at("etc/berth/node.conf"))).isEqualTo("rw-r--r--");
        assertThat(Files.readString(at("etc/berth/node.conf"))).contains("min_uid = 1000");
        assertThat(Files.readString(at("etc/tmpfiles.d/berth.conf")))
                .contains("d /run/berth 1775 root berth -");
        var current = Files.readSymbolicLink(at("opt/berth/current"));
        assertThat(current.toString()).startsWith("/opt/berth/versions/");
        var version = at(Path.of("/").relativize(current).toString());
        assertThat(version.resolve("lib/berth.jar")).hasContent("first");
        assertThat(version.resolve("cli.jsa")).exists();
        assertThat(mode(version.resolve("berth"))).isEqualTo("rwxr-xr-x");
        assertThat(version.resolve("jdk")).hasContent(System.getProperty("java.home") + "\n");
        assertThat(Files.readSymbolicLink(at("usr/local/bin/berth")))
                .isEqualTo(Path.of("/opt/berth/current/berth"));
        assertThat(result.text()).contains("copy the program to " + version);
    }

    @Test
    void theRuntimeOfAPackageIsCopiedWithTheProgram() throws Exception {
        Files.createDirectories(program.resolve("runtime/bin"));
        var java = Files.writeString(program.resolve("runtime/bin/java"), "java");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(program.resolve("runtime/release"), "JAVA_VERSION=25");

        run("install");

        var current = Files.readSymbolicLink(at("opt/berth/current"));
        var version = at(Path.of("/").relativize(current).toString());
        assertThat(mode(version.resolve("runtime/bin/java"))).isEqualTo("rwxr-xr-x");
        assertThat(version.resolve("runtime/release")).hasContent("JAVA_VERSION=25");
        assertThat(mode(version.resolve("runtime/release"))).isEqualTo("rw-r--r--");
    }

    @Test
    void theNodeLeavesTasksAloneAndTheServerHasNoRights() throws Exception {
        run("install");

        assertThat(Files.readAllLines(at("etc/systemd/system/berth-node.service")))
                .contains(
                        "ExecStart=/opt/berth/current/berth node",
                        "KillMode=process",
                        "Delegate=yes",
                        "OOMPolicy=continue")
                // Tasks would inherit them.
                .noneMatch(line -> line.matches("(NoNewPrivileges|Protect|Private|Restrict).*"));
        assertThat(Files.readAllLines(at("etc/systemd/system/berth.service")))
                .contains(
                        "User=berth",
                        "ExecStart=/opt/berth/current/berth serve --system --quiet",
                        "NoNewPrivileges=yes",
                        "CapabilityBoundingSet=",
                        "ProtectSystem=strict",
                        "ProtectHome=yes");
    }

    @Test
    void aSecondCallChangesNothing() throws Exception {
        run("install");
        assertThat(run("install").text()).startsWith("nothing to do\n");
    }

    @Test
    void aDryRunOnlyPrints() {
        var result = run("install", "--dry-run");

        assertThat(result.status()).isZero();
        assertThat(result.text())
                .contains("would create the directory " + at("var/lib/berth/server"))
                .contains("would write " + at("etc/systemd/system/berth.service"));
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void changedConfigurationStaysAndChangedUnitsAreReplaced() throws Exception {
        run("install");
        Files.writeString(at("etc/berth/config.yaml"), "port: 4000\n");
        Files.writeString(at("etc/systemd/system/berth.service"), "[Service]\n");

        var result = run("install");

        assertThat(result.text())
                .startsWith("replace " + at("etc/systemd/system/berth.service") + "\n");
        assertThat(at("etc/berth/config.yaml")).hasContent("port: 4000\n");
    }

    @Test
    void anUpgradeKeepsTheDirectoryOfARunningVersion() throws Exception {
        run("install");
        var old = at(Path.of("/").relativize(link("opt/berth/current")).toString());
        Files.writeString(program.resolve("lib/berth.jar"), "second");
        var running = new ProcessBuilder("/bin/bash", "-c", "read", old + "/lib/berth.jar").start();
        try {
            run("install");
            var fresh = at(Path.of("/").relativize(link("opt/berth/current")).toString());
            assertThat(fresh.resolve("lib/berth.jar")).hasContent("second");
            assertThat(old.resolve("lib/berth.jar")).hasContent("first");
        } finally {
            running.destroyForcibly().waitFor();
        }
        run("install");
        assertThat(old).doesNotExist();
    }

    private Path link(String path) throws IOException {
        return Files.readSymbolicLink(at(path));
    }

    @Test
    void anUninstallKeepsDataAndConfiguration() throws Exception {
        run("install");
        Files.writeString(at("var/lib/berth/server/berth.db"), "data");

        var result = run("uninstall");

        assertThat(result.status()).isZero();
        assertThat(result.text())
                .contains("Kept: /etc/berth, /var/lib/berth and the account berth");
        assertThat(at("var/lib/berth/server/berth.db")).hasContent("data");
        assertThat(at("etc/berth/config.yaml")).exists();
        assertThat(at("etc/systemd/system/berth.service")).doesNotExist();
        assertThat(at("etc/systemd/system/berth-node.service")).doesNotExist();
        assertThat(Files.exists(at("usr/local/bin/berth"), LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(at("opt/berth/versions")).doesNotExist();
        assertThat(run("uninstall").text()).startsWith("nothing to do\n");
    }

    @Test
    void aProgramThatIsNoLinkIsNotReplaced() throws Exception {
        Files.createDirectories(at("usr/local/bin"));
        Files.writeString(at("usr/local/bin/berth"), "another program");

        var result = run("install");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.text()).contains("is no link: move it away");
        assertThat(at("usr/local/bin/berth")).hasContent("another program");
    }

    @Test
    void systemdAcceptsTheUnits() throws Exception {
        var analyze = Path.of("/usr/bin/systemd-analyze");
        assumeTrue(Files.isExecutable(analyze), "systemd-analyze is not installed");
        run("install");
        var units = at("etc/systemd/system");
        for (var name : List.of("berth-node.service", "berth.service")) {
            var unit = units.resolve(name);
            // The program and the account are not on this machine.
            Files.writeString(
                    unit,
                    Files.readString(unit)
                            .replace("/opt/berth/current/berth", "/bin/true")
                            .replaceAll("(?m)^(User|Group)=berth$", "$1=root"));
            var verify =
                    new ProcessBuilder(analyze.toString(), "verify", "--man=no", unit.toString())
                            .redirectErrorStream(true)
                            .start();
            var text = new String(verify.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            verify.waitFor();
            assertThat(text.lines().filter(line -> line.contains(name))).isEmpty();
        }
    }
}
