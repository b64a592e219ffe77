package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * Uses {@code posix_spawn}. It shares this process's memory until the program is loaded
 * (CLONE_VFORK), so its cost does not grow with the JVM's heap.
 */
final class PosixSpawner implements Spawner {
    /** glibc needs 336 and 80 bytes, musl about the same. */
    private static final long ATTRIBUTES_BYTES = 512;

    private static final long ACTIONS_BYTES = 512;
    private static final long SIGNAL_SET_BYTES = 128;

    private static final long SETSIGDEF = 0x04;
    private static final long SETSIGMASK = 0x08;
    private static final long SETSID = 0x80;
    private static final long SETCGROUP = 0x100;

    private static final int O_RDONLY = 0;
    private static final int O_WRONLY = 1;
    private static final int O_RDWR = 2;
    private static final int O_CREAT = 0x40;
    private static final int O_APPEND = 0x400;
    private static final int O_DSYNC = 0x1000;
    private static final int O_CLOEXEC = 0x80000;
    private static final int O_DIRECTORY =
            System.getProperty("os.arch").equals("amd64") ? 0x10000 : 0x4000;
    private static final int OWNER_ONLY = 0600;
    private static final int FIRST_OTHER_DESCRIPTOR = 3;

    /** The newest function used here (glibc 2.34). If it exists, all of them exist. */
    private static final String NEWEST = "posix_spawn_file_actions_addclosefrom_np";

    /** Since glibc 2.39: the kernel creates the process in the group, which costs no move. */
    private static final Optional<Libc.Function> SET_CGROUP =
            Libc.symbol("posix_spawnattr_setcgroup_np").map(Libc.Function::new);

    private static final Libc.Function OPEN = Libc.function("open");

    private final Libc.Function spawn = Libc.function("posix_spawn");
    private final Libc.Function initActions = Libc.function("posix_spawn_file_actions_init");
    private final Libc.Function destroyActions = Libc.function("posix_spawn_file_actions_destroy");
    private final Libc.Function addOpen = Libc.function("posix_spawn_file_actions_addopen");
    private final Libc.Function addDup = Libc.function("posix_spawn_file_actions_adddup2");
    private final Libc.Function addChdir = Libc.function("posix_spawn_file_actions_addchdir_np");
    private final Libc.Function addCloseFrom = Libc.function(NEWEST);

    /** The same for every program, and only read by the calls that use it. */
    private final MemorySegment attributes = attributes(Arena.global(), 0);

    @SuppressWarnings("restricted")
    private final MemorySegment environment =
            Libc.symbol("environ").orElseThrow().reinterpret(ADDRESS.byteSize());

    private PosixSpawner() {}

    static Optional<PosixSpawner> find() {
        return Libc.symbol(NEWEST).isPresent() && Libc.symbol("environ").isPresent()
                ? Optional.of(new PosixSpawner())
                : Optional.empty();
    }

    private static MemorySegment attributes(Arena owner, long furtherFlags) {
        var attributes = owner.allocate(ATTRIBUTES_BYTES, Long.BYTES);
        var at = attributes.address();
        try (var arena = Arena.ofConfined()) {
            var none = arena.allocate(SIGNAL_SET_BYTES, Long.BYTES).address();
            var all = arena.allocate(SIGNAL_SET_BYTES, Long.BYTES).address();
            must(arena, "sigemptyset", none);
            must(arena, "sigfillset", all);
            must(arena, "posix_spawnattr_init", at);
            must(arena, "posix_spawnattr_setsigdefault", at, all);
            must(arena, "posix_spawnattr_setsigmask", at, none);
            must(
                    arena,
                    "posix_spawnattr_setflags",
                    at,
                    SETSIGDEF | SETSIGMASK | SETSID | furtherFlags);
        }
        return attributes;
    }

    private static void must(Arena arena, String name, long... arguments) {
        var answer = Libc.function(name).callInt(Libc.state(arena), arguments);
        if (answer != 0) {
            throw new IllegalStateException(name + " answers " + answer);
        }
    }

    @Override
    public boolean opensExitRecord() {
        return true;
    }

    @Override
    public boolean entersCgroups() {
        return SET_CGROUP.isPresent();
    }

    @Override
    public Spawned spawn(SpawnRequest order) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var draft = new Draft(order, arena, arena.allocate(ACTIONS_BYTES, Long.BYTES));
            draft.add(initActions);
            try {
                describe(draft);
                return order.cgroup().isPresent()
                        ? startInGroup(draft, order.cgroup().get())
                        : start(draft, attributes);
            } finally {
                draft.add(destroyActions);
                if (order.input().isPresent()) {
                    order.input().get().closeOther();
                }
            }
        }
    }

    /** The new process performs these actions in this order, before the program is loaded. */
    private void describe(Draft draft) throws IOException {
        if (draft.order.input().isPresent()) {
            draft.add(addDup, draft.order.input().get().other(), 0);
        } else {
            draft.add(addOpen, 0, draft.text("/dev/null"), O_RDONLY);
        }
        var log = draft.text(draft.order.log().toString());
        draft.add(
                addOpen,
                1,
                log,
                O_WRONLY | O_APPEND | O_CREAT | RegularFile.O_NOFOLLOW,
                OWNER_ONLY);
        draft.add(addDup, 1, 2);
        draft.add(addCloseFrom, FIRST_OTHER_DESCRIPTOR);
        // The program changes to its work directory itself; until then it keeps no mount busy.
        draft.add(addChdir, draft.text("/"));
        if (draft.order.exitRecord().isPresent()) {
            var record = draft.text(draft.order.exitRecord().get().toString());
            draft.add(
                    addOpen,
                    EXIT_RECORD_DESCRIPTOR,
                    record,
                    O_RDWR | O_DSYNC | RegularFile.O_NOFOLLOW);
        }
    }

    private Spawned startInGroup(Draft draft, Path cgroup) throws IOException {
        var state = Libc.state(draft.arena);
        int group = OPEN.callInt(state, draft.text(cgroup.toString()), O_DIRECTORY | O_CLOEXEC);
        if (group < 0) {
            throw Libc.failure(state, "open", cgroup);
        }
        try {
            var inGroup = attributes(draft.arena, SETCGROUP);
            draft.check(SET_CGROUP.orElseThrow().callInt(state, inGroup.address(), group));
            return start(draft, inGroup);
        } finally {
            RegularFile.close(group, cgroup);
        }
    }

    private Spawned start(Draft draft, MemorySegment with) throws IOException {
        var pid = draft.arena.allocate(JAVA_INT);
        var command = draft.order.command();
        draft.check(
                spawn.callInt(
                        Libc.state(draft.arena),
                        pid.address(),
                        draft.text(command.getFirst()),
                        draft.actions.address(),
                        with.address(),
                        strings(command, draft.arena).address(),
                        draft.order
                                .environment()
                                .map(variables -> strings(variables, draft.arena))
                                .orElseGet(() -> environment.get(ADDRESS, 0))
                                .address()));
        return new Spawned(pid.get(JAVA_INT, 0), true);
    }

    /** The state of one spawn in preparation. */
    private record Draft(SpawnRequest order, Arena arena, MemorySegment actions) {

        void add(Libc.Function function, long... arguments) throws IOException {
            var all = LongStream.concat(LongStream.of(actions.address()), LongStream.of(arguments));
            check(function.callInt(Libc.state(arena), all.toArray()));
        }

        long text(String value) {
            return arena.allocateFrom(value).address();
        }

        /**
         * These functions return an errno, also for a failed file action (for example no space for
         * the log).
         */
        void check(int errno) throws IOException {
            if (errno != 0) {
                throw new ErrnoException("posix_spawn", order.command().getLast(), errno);
            }
        }
    }

    private static MemorySegment strings(List<String> values, Arena arena) {
        var array = arena.allocate(ADDRESS, values.size() + 1L);
        for (var i = 0; i < values.size(); i++) {
            array.setAtIndex(ADDRESS, i, arena.allocateFrom(values.get(i)));
        }
        return array;
    }
}
