package dev.berth.app.endtoend;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * One fault of the files of a home.
 *
 * @param isServerRunning true if the server runs while the files change
 */
record StateFault(Target target, Action action, boolean isServerRunning) {

    enum Target {
        DATABASE("runtime/tasks.db"),
        LOG("runtime/tasks.db-wal"),
        LOG_INDEX("runtime/tasks.db-shm"),
        GENERATION("generation"),
        LOCK("lock"),
        HOLDER("lock.holder"),
        TASKS("runtime/tasks"),
        ATTEMPT("runtime/tasks/task_%d/attempts/1"),
        GO("runtime/tasks/task_%d/attempts/1/go"),
        EXIT_RECORD("runtime/tasks/task_%d/attempts/1/exit_code.pending"),
        RUN_SCRIPT("runtime/tasks/task_%d/attempts/1/run.sh");

        private final String path;

        Target(String path) {
            this.path = path;
        }

        Path in(Path home, long task) {
            return home.resolve(path.replace("%d", Long.toString(task)));
        }

        private boolean isDirectory() {
            return this == TASKS || this == ATTEMPT;
        }

        private boolean isOfDatabase() {
            return this == DATABASE || this == LOG || this == GENERATION;
        }
    }

    enum Action {
        DELETE,
        TRUNCATE,
        /** Replaces the file by its state from before the tasks started. */
        OLDER,
        FLIP,
        /** The database with all its files. */
        DELETE_ALL,
        OLDER_ALL
    }

    private static final List<Target> DATABASE_GROUP =
            List.of(Target.DATABASE, Target.DATABASE, Target.LOG, Target.GENERATION);

    private static final List<List<Target>> GROUPS =
            List.of(
                    DATABASE_GROUP,
                    DATABASE_GROUP,
                    List.of(Target.ATTEMPT, Target.GO, Target.EXIT_RECORD, Target.RUN_SCRIPT),
                    List.of(Target.LOCK, Target.HOLDER, Target.TASKS, Target.LOG_INDEX));

    static final List<String> DATABASE_FILES = List.of("tasks.db", "tasks.db-wal", "tasks.db-shm");

    /** Half of the faults concern the database, which has fewer files than the attempts. */
    static StateFault choose(Random random) {
        var group = GROUPS.get(random.nextInt(GROUPS.size()));
        while (true) {
            var target = group.get(random.nextInt(group.size()));
            var action = Action.values()[random.nextInt(Action.values().length)];
            boolean fits =
                    switch (action) {
                        case DELETE -> true;
                        case TRUNCATE, FLIP -> !target.isDirectory();
                        case OLDER -> target.isOfDatabase();
                        case DELETE_ALL, OLDER_ALL -> target == Target.DATABASE;
                    };
            if (fits) {
                return new StateFault(target, action, random.nextBoolean());
            }
        }
    }

    /**
     * @param older contains the files as they were before
     */
    void apply(Path home, Path older, long task, Random random) throws IOException {
        var file = target.in(home, task);
        switch (action) {
            case DELETE -> delete(file);
            case TRUNCATE -> truncate(file);
            case FLIP -> flip(file, random);
            case OLDER -> replace(older.resolve(file.getFileName().toString()), file);
            case DELETE_ALL -> {
                for (var name : DATABASE_FILES) {
                    delete(home.resolve("runtime").resolve(name));
                }
            }
            case OLDER_ALL -> {
                for (var name : DATABASE_FILES) {
                    delete(home.resolve("runtime").resolve(name));
                    replace(older.resolve(name), home.resolve("runtime").resolve(name));
                }
            }
        }
    }

    private static void replace(Path from, Path to) throws IOException {
        if (Files.exists(from)) {
            Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
        } else {
            Files.deleteIfExists(to);
        }
    }

    private static void delete(Path file) throws IOException {
        if (!Files.exists(file)) {
            return;
        }
        try (var all = Files.walk(file)) {
            for (var one : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(one);
            }
        }
    }

    private static void truncate(Path file) throws IOException {
        if (Files.exists(file)) {
            try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(channel.size() / 2);
            }
        }
    }

    private static void flip(Path file, Random random) throws IOException {
        if (!Files.exists(file) || Files.size(file) == 0) {
            return;
        }
        try (var channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long at = random.nextLong(channel.size());
            var one = ByteBuffer.allocate(1);
            channel.read(one, at);
            one.put(0, (byte) (one.get(0) ^ (1 << random.nextInt(8)))).rewind();
            channel.write(one, at);
        }
    }
}
