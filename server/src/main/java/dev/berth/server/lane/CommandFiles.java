package dev.berth.server.lane;

import dev.berth.core.lane.Mode;

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

    public static final int LARGEST_BYTES = 10 << 20;

    /** Numbers of nine digits are enough for anyone's files. */
    public static final int LAST_INDEX = 999_999_999;

    private static final Pattern SINGLE =
            Pattern.compile("command_gpu(?:_([1-9][0-9]{0,8}))?\\.txt");
    private static final Pattern MULTI =
            Pattern.compile("command_gpus(?:_([1-9][0-9]{0,8}))?\\.txt");

    private final Path directory;
    private final Supplier<Path> usual;

    /**
     * @param usual the file that is single config 1 where {@code command/command_gpu.txt} is not
     *     there
     */
    public CommandFiles(Path home, Supplier<Path> usual) {
        this.directory = home.resolve("command");
        this.usual = usual;
    }

    /** A config that is there. */
    public record Config(Mode mode, int index, Path path) {

        /** As people call it. */
        public String file() {
            return String.valueOf(path.getFileName());
        }

        public Instant modifiedAt() throws IOException {
            return Files.getLastModifiedTime(path).toInstant();
        }

        public long bytes() throws IOException {
            return Files.size(path);
        }

        /**
         * Its text; bytes that are none are replaced. Empty where it is larger than any command
         * file may be, and then nothing of it was read.
         */
        public Optional<String> text() throws IOException {
            try {
                return Optional.of(
                        new String(WholeFile.read(path, LARGEST_BYTES), StandardCharsets.UTF_8));
            } catch (WholeFile.TooLarge _) {
                return Optional.empty();
            }
        }
    }

    /** All configs of a mode, by index. */
    public List<Config> list(Mode mode) throws IOException {
        var configs = new ArrayList<Config>();
        try (var entries = Files.newDirectoryStream(directory)) {
            for (var entry : entries) {
                var index = index(mode, String.valueOf(entry.getFileName()));
                if (index.isPresent() && index.getAsInt() > 0 && isOurs(entry)) {
                    configs.add(new Config(mode, index.getAsInt(), entry));
                }
            }
        } catch (NoSuchFileException | NotDirectoryException _) {
            // Nobody has made a command file yet.
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        find(mode, 0).ifPresent(configs::add);
        configs.sort(Comparator.comparingInt(Config::index));
        return configs;
    }

    public Optional<Config> find(Mode mode, int index) {
        var own = directory.resolve(name(mode, index));
        if (isOurs(own)) {
            return Optional.of(new Config(mode, index, own));
        }
        if (mode == Mode.SINGLE
                && index == 0
                && !isTaken(own)
                && Files.isRegularFile(usual.get())) {
            return Optional.of(new Config(mode, index, usual.get()));
        }
        return Optional.empty();
    }

    /** Gives a config that is there another text. */
    public void replace(Config config, String text) throws IOException {
        // A link stays one: what it leads to is replaced.
        WholeFile.replace(config.path().toRealPath(), text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Makes the first config of a mode.
     *
     * @throws FileAlreadyExistsException something of that name is there that is no config
     */
    public Config first(Mode mode, String text) throws IOException {
        return create(mode, 0, text);
    }

    /** Makes another config at the lowest index that is free. */
    public Config next(Mode mode, String text) throws IOException {
        for (int index = find(mode, 0).isPresent() ? 1 : 0; index <= LAST_INDEX; index++) {
            try {
                return create(mode, index, text);
            } catch (FileAlreadyExistsException _) {
                // Taken, perhaps only just now: the next one then.
            }
        }
        throw new IOException("no number is left for another file in " + directory);
    }

    public void delete(Config config) throws IOException {
        Files.delete(config.path());
    }

    public static String name(Mode mode, int index) {
        var stem =
                switch (mode) {
                    case SINGLE -> "command_gpu";
                    case MULTI -> "command_gpus";
                };
        return stem + (index == 0 ? "" : "_" + index) + ".txt";
    }

    private Config create(Mode mode, int index, String text) throws IOException {
        WholeFile.makeDirectory(directory);
        var path = directory.resolve(name(mode, index));
        WholeFile.claim(path);
        boolean isWritten = false;
        try {
            WholeFile.replace(path, text.getBytes(StandardCharsets.UTF_8));
            isWritten = true;
        } finally {
            if (!isWritten) {
                Files.deleteIfExists(path);
            }
        }
        return new Config(mode, index, path);
    }

    private static OptionalInt index(Mode mode, String name) {
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

    private static boolean isTaken(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** A plain file, and no link that leads out of the directory. */
    private boolean isOurs(Path path) {
        if (!Files.isRegularFile(path)) {
            return false;
        }
        try {
            return path.toRealPath().startsWith(directory.toRealPath());
        } catch (IOException _) {
            // It went away between two looks.
            return false;
        }
    }
}
