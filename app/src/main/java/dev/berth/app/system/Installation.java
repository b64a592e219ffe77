package dev.berth.app.system;

import dev.berth.app.system.InstallStep.Access;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The parts of an installation for all users of a machine.
 *
 * @param root the root directory of the machine; another one for an image or a test
 * @param program contains the installed versions of the program, below the root
 */
record Installation(Path root, Path program) {

    static final Path PROGRAM = Path.of("/opt/berth");

    /** The program of a package: the package manager replaces and removes it and its units. */
    private static final Path PACKAGED = Path.of("/usr/lib/berth");

    /** The account of the server. */
    static final String ACCOUNT = "berth";

    private static final Path UNITS = Path.of("/etc/systemd/system");
    private static final Path PACKAGED_UNITS = Path.of("/usr/lib/systemd/system");

    /** The first words of the units that an installation writes. */
    private static final String WRITTEN = "# Written by `berth system install`";

    private static final String NODE_UNIT = "berth-node.service";
    private static final String SERVER_UNIT = "berth.service";
    private static final Path TMPFILES_DIRECTORY = Path.of("/etc/tmpfiles.d");
    private static final Path TMPFILES = TMPFILES_DIRECTORY.resolve("berth.conf");
    private static final Path PROGRAMS = Path.of("/usr/local/bin");
    private static final Path LAUNCHER = PROGRAMS.resolve("berth");
    private static final Path CONFIG = Path.of("/etc/berth");
    static final Path STATE = Path.of("/var/lib/berth");

    /** Only this machine has accounts and a systemd that could be changed. */
    private boolean isThisMachine() {
        return root.equals(Path.of("/"));
    }

    private boolean runsSystemd() {
        return isThisMachine() && Files.isDirectory(Path.of("/run/systemd/system"));
    }

    /** Whether systemd runs the server of this machine. */
    static boolean isServerActive() {
        if (!Files.isDirectory(Path.of("/run/systemd/system"))) {
            return false;
        }
        try {
            var _ = Programs.run(List.of("systemctl", "is-active", "--quiet", SERVER_UNIT));
            return true;
        } catch (IOException inactive) {
            return false;
        }
    }

    Path versions() {
        return at(program).resolve("versions");
    }

    private Path at(Path path) {
        return root.resolve(Path.of("/").relativize(path));
    }

    /** Whether the program in this directory and its units come from a package. */
    boolean isPackaged(Path source) {
        return isThisMachine()
                && source.equals(PACKAGED)
                && Files.exists(PACKAGED_UNITS.resolve(SERVER_UNIT));
    }

    List<InstallStep> steps(ProgramCopy copy) throws IOException {
        var steps = new ArrayList<>(data());
        steps.add(directory(program, Access.ofRoot(0755)));
        steps.add(directory(program.resolve("versions"), Access.ofRoot(0755)));
        steps.add(new InstallStep.Program(copy));
        var version = program.resolve("versions").resolve(copy.directory().getFileName());
        steps.add(new InstallStep.Link(at(program.resolve("current")), version));
        steps.add(directory(PROGRAMS, Access.ofRoot(0755)));
        steps.add(new InstallStep.Link(at(LAUNCHER), program.resolve("current/berth")));
        var units =
                List.of(
                        file(UNITS.resolve(NODE_UNIT), Access.ofRoot(0644), false),
                        file(UNITS.resolve(SERVER_UNIT), Access.ofRoot(0644), false));
        steps.add(directory(UNITS, Access.ofRoot(0755)));
        steps.addAll(services(units));
        return steps;
    }

    /** With the program and the units of a package, which older ones must not hide. */
    List<InstallStep> stepsOfPackage() throws IOException {
        var steps = new ArrayList<>(data());
        if (isOwnLauncher()) {
            steps.add(new InstallStep.Removal(at(LAUNCHER)));
        }
        var units = new ArrayList<InstallStep>();
        for (var unit : List.of(NODE_UNIT, SERVER_UNIT)) {
            var path = at(UNITS.resolve(unit));
            if (Files.exists(path) && Files.readString(path).startsWith(WRITTEN)) {
                units.add(new InstallStep.Removal(path));
            }
        }
        steps.addAll(services(units));
        return steps;
    }

    /** The account, the configuration and the directories of the data. */
    private List<InstallStep> data() {
        var steps = new ArrayList<InstallStep>();
        if (isThisMachine()) {
            steps.add(new InstallStep.Account(ACCOUNT, STATE.resolve("server")));
        }
        var server = new Access(0700, ACCOUNT, ACCOUNT);
        steps.add(directory(CONFIG, Access.ofRoot(0755)));
        steps.add(directory(STATE, Access.ofRoot(0755)));
        steps.add(directory(STATE.resolve("node"), Access.ofRoot(0711)));
        steps.add(directory(STATE.resolve("server"), server));
        steps.add(file(CONFIG.resolve("config.yaml"), new Access(0640, "root", ACCOUNT), true));
        steps.add(file(CONFIG.resolve("node.conf"), Access.ofRoot(0644), true));
        return steps;
    }

    private List<InstallStep> services(List<? extends InstallStep> units) throws IOException {
        var files = new ArrayList<InstallStep>(units);
        files.add(file(TMPFILES, Access.ofRoot(0644), false));
        boolean areChanged = false;
        for (var file : files) {
            areChanged |= file.pending().isPresent();
        }
        var steps = new ArrayList<InstallStep>();
        steps.add(directory(TMPFILES_DIRECTORY, Access.ofRoot(0755)));
        steps.addAll(files);
        if (isThisMachine()) {
            steps.add(
                    new InstallStep.Directory(
                            Path.of("/run/berth"), new Access(01775, "root", ACCOUNT), true));
        }
        if (runsSystemd()) {
            steps.add(new InstallStep.Call(List.of("systemctl", "daemon-reload"), areChanged));
            steps.add(
                    new InstallStep.Call(
                            List.of("systemctl", "enable", NODE_UNIT, SERVER_UNIT), !areEnabled()));
        }
        return steps;
    }

    private static boolean areEnabled() {
        var wanted = UNITS.resolve("multi-user.target.wants");
        return Files.exists(wanted.resolve(NODE_UNIT)) && Files.exists(wanted.resolve(SERVER_UNIT));
    }

    /** Data, configuration and the account stay. */
    List<InstallStep> removal() {
        var steps = new ArrayList<InstallStep>();
        if (runsSystemd()) {
            steps.add(
                    new InstallStep.Call(
                            List.of("systemctl", "disable", "--now", SERVER_UNIT, NODE_UNIT),
                            Files.exists(UNITS.resolve(NODE_UNIT))
                                    || Files.exists(PACKAGED_UNITS.resolve(NODE_UNIT))));
        }
        steps.add(new InstallStep.Removal(at(UNITS.resolve(SERVER_UNIT))));
        steps.add(new InstallStep.Removal(at(UNITS.resolve(NODE_UNIT))));
        steps.add(new InstallStep.Removal(at(TMPFILES)));
        if (isOwnLauncher()) {
            steps.add(new InstallStep.Removal(at(LAUNCHER)));
        }
        steps.add(new InstallStep.Removal(at(program.resolve("current"))));
        steps.add(new InstallStep.Removal(versions()));
        if (runsSystemd()) {
            steps.add(new InstallStep.Call(List.of("systemctl", "daemon-reload"), true));
        }
        return steps;
    }

    private boolean isOwnLauncher() {
        try {
            return Files.isSymbolicLink(at(LAUNCHER))
                    && Files.readSymbolicLink(at(LAUNCHER)).startsWith(program);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a removal keeps. */
    List<Path> kept() {
        return List.of(CONFIG, STATE);
    }

    /** What the user does next. */
    String advice() {
        if (!isThisMachine()) {
            return "Installed below "
                    + root
                    + ". On that machine: useradd --system berth, then"
                    + " berth system install completes it.";
        }
        return runsSystemd()
                ? "Start it: systemctl start berth-node berth. After an upgrade: systemctl restart"
                        + " berth-node berth; running tasks go on."
                : "systemd does not run here. Start both halves by hand: berth serve --system";
    }

    private InstallStep directory(Path path, Access access) {
        return new InstallStep.Directory(at(path), access, isThisMachine());
    }

    private InstallStep.TextFile file(Path path, Access access, boolean keepsExisting) {
        var name = path.equals(TMPFILES) ? "tmpfiles.conf" : path.getFileName().toString();
        return new InstallStep.TextFile(
                at(path), resource(name), access, keepsExisting, isThisMachine());
    }

    private String resource(String name) {
        try (var in = Installation.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("this build lacks " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("@PROGRAM@", program.resolve("current").toString())
                    .replace("@ACCOUNT@", ACCOUNT);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }
}
