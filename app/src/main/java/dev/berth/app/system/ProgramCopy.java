package dev.berth.app.system;

import dev.berth.cli.call.CliVersion;
import dev.berth.cli.call.CommandFailure;
import dev.berth.files.AtomicFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * The program in a directory of its own version: a running server goes on to read the jars of the
 * version with which it was started.
 *
 * @param source a directory with {@code lib/*.jar}, and {@code runtime} if it has its own Java
 * @param launcher the script {@code berth}
 * @param jdk of the server
 * @param directory of this version
 */
record ProgramCopy(Path source, Path launcher, Path jdk, Path directory) {

    private static final int ID_LENGTH = 12;

    /** Written last: the launcher also recognises an installed program by it. */
    private static final String JDK = "jdk";

    /** The Java runtime of a package. */
    private static final String RUNTIME = "runtime";

    /**
     * @param versions contains a directory for each installed version
     */
    static ProgramCopy of(Path source, Path launcher, Path jdk, Path versions) throws IOException {
        var id = CliVersion.CURRENT + "-" + hash(source, launcher).substring(0, ID_LENGTH);
        var directory = versions.resolve(id);
        if (Files.isDirectory(source.resolve(RUNTIME))) {
            return new ProgramCopy(source, launcher, directory.resolve(RUNTIME), directory);
        }
        requireOpenToAll(jdk);
        return new ProgramCopy(source, launcher, jdk, directory);
    }

    /** The program that runs now. */
    static Path ofThisProcess() {
        var first = System.getProperty("java.class.path", "").split(":", 2)[0];
        var lib = Path.of(first).getParent();
        if (lib == null || !first.endsWith(".jar") || lib.getParent() == null) {
            throw new CommandFailure("only a built program can be installed: run ./berth");
        }
        return lib.getParent();
    }

    boolean isComplete() {
        return Files.exists(directory.resolve(JDK));
    }

    void write() throws IOException {
        var next = directory.resolveSibling("." + directory.getFileName() + ".new");
        FileTrees.delete(next);
        FileTrees.delete(directory);
        createDirectory(next);
        createDirectory(next.resolve("lib"));
        for (var jar : jars(source)) {
            copy(jar, next.resolve("lib").resolve(jar.getFileName()), "rw-r--r--");
        }
        try (var files = Files.list(source)) {
            for (var archive : files.filter(file -> file.toString().endsWith(".jsa")).toList()) {
                copy(archive, next.resolve(archive.getFileName()), "rw-r--r--");
            }
        }
        copyRuntime(next.resolve(RUNTIME));
        copy(launcher, next.resolve("berth"), "rwxr-xr-x");
        Files.writeString(next.resolve(JDK), jdk + "\n");
        setMode(next.resolve(JDK), "rw-r--r--");
        AtomicFile.renameDurably(next, directory);
    }

    private void copyRuntime(Path to) throws IOException {
        var from = source.resolve(RUNTIME);
        if (!Files.isDirectory(from)) {
            return;
        }
        try (var files = Files.walk(from)) {
            for (var file : files.sorted().toList()) {
                var target = to.resolve(from.relativize(file));
                if (Files.isDirectory(file)) {
                    createDirectory(target);
                } else {
                    copy(file, target, Files.isExecutable(file) ? "rwxr-xr-x" : "rw-r--r--");
                }
            }
        }
    }

    private static void createDirectory(Path path) throws IOException {
        Files.createDirectories(path);
        setMode(path, "rwxr-xr-x");
    }

    /**
     * With its time: an archive of the JVM is valid only for jars and a runtime of the same time.
     */
    private static void copy(Path from, Path to, String mode) throws IOException {
        Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
        setMode(to, mode);
    }

    private static void setMode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static List<Path> jars(Path source) throws IOException {
        try (Stream<Path> files = Files.list(source.resolve("lib"))) {
            return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
        }
    }

    private static String hash(Path source, Path launcher) throws IOException {
        try {
            var sha256 = MessageDigest.getInstance("SHA-256");
            var others =
                    Stream.of(launcher, source.resolve(RUNTIME).resolve("release"))
                            .filter(Files::exists);
            for (var file : Stream.concat(jars(source).stream(), others).toList()) {
                sha256.update(file.getFileName().toString().getBytes(StandardCharsets.UTF_8));
                sha256.update(Files.readAllBytes(file));
            }
            return HexFormat.of().formatHex(sha256.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    /** The server runs as another user, and so does the command line. */
    private static void requireOpenToAll(Path jdk) throws IOException {
        for (var path = jdk.toRealPath(); path != null; path = path.getParent()) {
            if (!Files.getPosixFilePermissions(path).contains(PosixFilePermission.OTHERS_EXECUTE)) {
                throw new CommandFailure(
                        "the JDK at "
                                + jdk
                                + " is closed to other users ("
                                + path
                                + "): install one for all users, for example in /usr/lib/jvm, and"
                                + " set BERTH_JAVA_HOME to it");
            }
        }
    }
}
