package dev.berth.runs;

import dev.berth.core.commandfile.FileMode;
import dev.berth.files.AtomicFile;
import dev.berth.files.UserPaths;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The command files of a home. */
public final class CommandFiles {

    public static final int MAX_BYTES = 10 << 20;

    /** An index has at most nine digits. */
    public static final int MAX_INDEX = 999_999_999;

    private static final Pattern SINGLE =
            Pattern.compile("command_gpu(?:_([1-9][0-9]{0,8}))?\\.txt");
    private static final Pattern MULTI =
            Pattern.compile("command_gpus(?:_([1-9][0-9]{0,8}))?\\.txt");

    private final Path directory;
    private final Supplier<Path> defaultFile;
    private final UserPaths paths;

    /**
     * @param usual the file of single mode, index 0, if {@code command/command_gpu.txt} does not
     *     exist
     */
    public CommandFiles(Path home, Supplier<Path> usual, UserPaths paths) {
        this.directory = home.resolve("command");
        this.defaultFile = usual;
        this.paths = paths;
    }

    /** An existing command file. */
    public record CommandFileEntry(FileMode mode, int index, Path path) {

        /** The file name, which users see. */
        public String fileName() {
            return String.valueOf(path.getFileName());
        }
    }

    public Instant modifiedAt(CommandFileEntry config) throws IOException {
        return paths.access(
                config.path(), () -> Files.getLastModifiedTime(config.path()).toInstant());
    }

    /**
     * The text, with malformed bytes replaced. Empty if the file exceeds the limit; then nothing is
     * read.
     */
    public Optional<String> text(CommandFileEntry config) throws IOException {
        try {
            var bytes =
                    paths.access(config.path(), () -> AtomicFile.read(config.path(), MAX_BYTES));
            return Optional.of(new String(bytes, StandardCharsets.UTF_8));
        } catch (AtomicFile.FileTooLargeException _) {
            return Optional.empty();
        }
    }

    /** All command files of a mode, by index. */
    public List<CommandFileEntry> list(FileMode mode) throws IOException {
        var configs = new ArrayList<>(paths.access(directory, () -> listNumbered(mode)));
        find(mode, 0).ifPresent(configs::add);
        configs.sort(Comparator.comparingInt(CommandFileEntry::index));
        return configs;
    }

    private List<CommandFileEntry> listNumbered(FileMode mode) throws IOException {
        var configs = new ArrayList<CommandFileEntry>();
        try (var entries = Files.newDirectoryStream(directory)) {
            for (var entry : entries) {
                var index = index(mode, String.valueOf(entry.getFileName()));
                if (index.isPresent() && index.getAsInt() > 0 && isCommandFile(entry)) {
                    configs.add(new CommandFileEntry(mode, index.getAsInt(), entry));
                }
            }
        } catch (NoSuchFileException | NotDirectoryException _) {
            // No command file has been created yet.
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return configs;
    }

    public Optional<CommandFileEntry> find(FileMode mode, int index) throws IOException {
        var named = directory.resolve(fileNameOf(mode, index));
        if (paths.access(named, () -> isCommandFile(named))) {
            return Optional.of(new CommandFileEntry(mode, index, named));
        }
        if (mode == FileMode.MULTI || index > 0 || paths.access(named, () -> exists(named))) {
            return Optional.empty();
        }
        var usual = defaultFile.get();
        return paths.access(usual, () -> Files.isRegularFile(usual))
                ? Optional.of(new CommandFileEntry(mode, index, usual))
                : Optional.empty();
    }

    public void replace(CommandFileEntry config, String text) throws IOException {
        paths.access(
                config.path(),
                () -> {
                    // A symbolic link stays; its target is replaced.
                    AtomicFile.replace(
                            config.path().toRealPath(), text.getBytes(StandardCharsets.UTF_8));
                    return true;
                });
    }

    /**
     * Creates the first command file of a mode.
     *
     * @throws FileAlreadyExistsException the name is taken by something that is not a command file
     */
    public CommandFileEntry createFirst(FileMode mode, String text) throws IOException {
        return paths.access(directory, () -> create(mode, 0, text));
    }

    /** Creates a command file at the lowest free index. */
    public CommandFileEntry createNext(FileMode mode, String text) throws IOException {
        int first = find(mode, 0).isPresent() ? 1 : 0;
        return paths.access(directory, () -> createFrom(first, mode, text));
    }

    private CommandFileEntry createFrom(int first, FileMode mode, String text) throws IOException {
        for (int index = first; index <= MAX_INDEX; index++) {
            try {
                return create(mode, index, text);
            } catch (FileAlreadyExistsException _) {
                // Taken, perhaps by a concurrent request: try the next index.
            }
        }
        throw new IOException("no number is left for another file in " + directory);
    }

    public void delete(CommandFileEntry config) throws IOException {
        paths.access(
                config.path(),
                () -> {
                    Files.delete(config.path());
                    return true;
                });
    }

    public static String fileNameOf(FileMode mode, int index) {
        var stem =
                switch (mode) {
                    case SINGLE -> "command_gpu";
                    case MULTI -> "command_gpus";
                };
        return stem + (index == 0 ? "" : "_" + index) + ".txt";
    }

    private CommandFileEntry create(FileMode mode, int index, String text) throws IOException {
        AtomicFile.createDirectory(directory);
        var path = directory.resolve(fileNameOf(mode, index));
        AtomicFile.createEmpty(path);
        boolean isWritten = false;
        try {
            AtomicFile.replace(path, text.getBytes(StandardCharsets.UTF_8));
            isWritten = true;
        } finally {
            if (!isWritten) {
                Files.deleteIfExists(path);
            }
        }
        return new CommandFileEntry(mode, index, path);
    }

    private static OptionalInt index(FileMode mode, String name) {
        var pattern =
                switch (mode) {
                    case SINGLE -> SINGLE;
                    case MULTI -> MULTI;
                };
        var match = pattern.matcher(name);
        if (!match.matches()) {
            return OptionalInt.empty();
        }
        var digits = match.group(1);
        return OptionalInt.of(digits == null ? 0 : Integer.parseInt(digits));
    }

    private static boolean exists(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** A regular file, and not a link that leads out of the directory. */
    private boolean isCommandFile(Path path) {
        if (!Files.isRegularFile(path)) {
            return false;
        }
        try {
            return path.toRealPath().startsWith(directory.toRealPath());
        } catch (IOException _) {
            // It was deleted between the two checks.
            return false;
        }
    }
}
