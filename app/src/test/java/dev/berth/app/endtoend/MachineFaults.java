package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Faults of the machine for one server. It runs as a user of its own, because root has no process
 * limit and may write everywhere. Its home, its database and its tasks each have a small disk, in a
 * mount namespace of its own.
 */
final class MachineFaults {

    /** Arguments: the home and the uid. */
    private static final String SMALL_DISKS =
            """
            set -e
            home=$0 uid=$1; shift
            cp -a "$home" "$home.kept"
            for path in "$home" "$home/runtime" "$home/runtime/tasks"; do
              mkdir -p "$path"
              mount -t tmpfs -o size=96m,nr_inodes=20000,mode=700,uid=$uid,gid=$uid tmpfs "$path"
            done
            cp -a "$home.kept/config" "$home"
            exec setpriv --reuid $uid --regid $uid --clear-groups -- "$@"
            """;

    private static final int MANY_PROCESSES = 4000;

    private final ServerHarness harness;

    /** A user whose processes are only those of this test. */
    private final int uid = 60_000 + ThreadLocalRandom.current().nextInt(5_000);

    MachineFaults(ServerHarness harness) {
        this.harness = harness;
    }

    interface Step {
        void run() throws Exception;
    }

    enum Effect {
        /** One alert, and another one when starts continue. */
        PAUSES_STARTS,
        /** Nothing can be stored, so nothing is acknowledged; one alert when that is over. */
        REFUSES_SUBMITS,
        NONE
    }

    record Fault(String name, Effect effect, Step begin, Step end) {}

    static boolean areAllowed() throws Exception {
        return shell("[[ $EUID == 0 ]] && unshare -m true && setpriv --reuid 1 true") == 0;
    }

    /** Prepares the home; the harness can then start the server. */
    void prepare() throws Exception {
        Files.writeString(initScript(), "true\n");
        harness.configure("conda_init_script: " + initScript() + "\n");
        var root = harness.home().getParent();
        assertThat(shell("chown -R " + uid + ":" + uid + " " + root)).isZero();
        harness.wrapper(
                "unshare",
                "-m",
                "bash",
                "-c",
                SMALL_DISKS,
                harness.home().toString(),
                Integer.toString(uid));
    }

    List<Fault> all() {
        var home = harness.home();
        var runtime = home.resolve("runtime");
        var tasks = harness.tasks();
        return List.of(
                noInodes("inodes of the tasks", Effect.PAUSES_STARTS, tasks),
                noSpace("bytes of the tasks", Effect.PAUSES_STARTS, tasks),
                noInodes("inodes of the database", Effect.NONE, runtime),
                noSpace("bytes of the database", Effect.REFUSES_SUBMITS, runtime),
                noInodes("inodes of the home", Effect.NONE, home),
                noSpace("bytes of the home", Effect.NONE, home),
                readOnly("read-only tasks", Effect.PAUSES_STARTS, tasks),
                readOnly("read-only home", Effect.NONE, home),
                new Fault(
                        "unwritable tasks",
                        Effect.PAUSES_STARTS,
                        inServer("chmod 500 %s", tasks),
                        inServer("chmod 700 %s", tasks)),
                new Fault(
                        "process limit",
                        Effect.PAUSES_STARTS,
                        limitProcesses(1),
                        limitProcesses(MANY_PROCESSES)),
                new Fault(
                        "missing init script",
                        Effect.PAUSES_STARTS,
                        () -> Files.delete(initScript()),
                        () -> Files.writeString(initScript(), "true\n")),
                new Fault("stopped", Effect.NONE, signal("STOP"), signal("CONT")),
                clock(3600),
                clock(-3600),
                clock(315_360_000),
                clock(-315_360_000));
    }

    private Path initScript() {
        return harness.file("init.sh");
    }

    private Fault noInodes(String name, Effect effect, Path disk) {
        var fill =
                "cd %s && mkdir fill && i=0; while : 2>/dev/null >fill/$((i++)); do :; done; true";
        return new Fault(name, effect, inServer(fill, disk), inServer("rm -rf %s/fill", disk));
    }

    private Fault noSpace(String name, Effect effect, Path disk) {
        return new Fault(
                name,
                effect,
                inServer("cat /dev/zero >%s/filler 2>/dev/null; true", disk),
                inServer("rm -f %s/filler", disk));
    }

    /** A second mount of the same directory: files that are open already stay writable. */
    private Fault readOnly(String name, Effect effect, Path directory) {
        return new Fault(
                name,
                effect,
                inServer("mount --rbind %1$s %1$s && mount -o remount,bind,ro %1$s", directory),
                inServer("umount -l %s", directory));
    }

    private Fault clock(long seconds) {
        var file = harness.home().resolveSibling("failpoints/clock");
        return new Fault(
                "clock " + seconds,
                Effect.NONE,
                () -> Files.writeString(file, Long.toString(seconds)),
                () -> Files.delete(file));
    }

    /** As the server's user: root may lack the right to change the limits of others. */
    private Step limitProcesses(int limit) {
        return checked(
                () ->
                        "setpriv --reuid %1$d --regid %1$d --clear-groups prlimit --pid %2$d --nproc=%3$d:"
                                .formatted(uid, harness.server().pid(), limit));
    }

    private Step inServer(String command, Path directory) {
        return checked(
                () ->
                        "nsenter -t %d -m bash -c '%s'"
                                .formatted(harness.server().pid(), command.formatted(directory)));
    }

    private Step signal(String name) {
        return checked(() -> "kill -" + name + " " + harness.server().pid());
    }

    private interface Command {
        String text();
    }

    private static Step checked(Command command) {
        return () -> assertThat(shell(command.text())).as(command.text()).isZero();
    }

    private static int shell(String command) throws IOException, InterruptedException {
        return new ProcessBuilder("bash", "-c", command)
                .redirectErrorStream(true)
                .redirectOutput(Path.of("/dev/null").toFile())
                .start()
                .waitFor();
    }
}
