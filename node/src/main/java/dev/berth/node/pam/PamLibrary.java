package dev.berth.node.pam;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** The functions of libpam that a password check needs. */
@SuppressWarnings("restricted") // calls native functions
final class PamLibrary {

    static final int SUCCESS = 0;
    static final int CONVERSATION_ERROR = 19;

    /** An account without a password must not be open to the network. */
    private static final int DISALLOW_NULL_PASSWORD = 1;

    private static final int ITEM_USER = 2;
    private static final int ITEM_REMOTE_HOST = 4;
    private static final long MAX_TEXT_BYTES = 4096;
    private static final Linker LINKER = Linker.nativeLinker();

    private final SymbolLookup pam;
    private final Arena arena;
    private final MemorySegment handle;

    private PamLibrary(SymbolLookup pam, Arena arena, MemorySegment handle) {
        this.pam = pam;
        this.arena = arena;
        this.handle = handle;
    }

    /** A call of the library returned this code. */
    static final class PamFailure extends Exception {
        private static final long serialVersionUID = 1;

        private final int code;

        PamFailure(String function, int code) {
            super(function + " returned " + code);
            this.code = code;
        }

        int code() {
            return code;
        }
    }

    /** Begins a transaction; the arena must live as long as it. */
    static PamLibrary start(Arena arena, String service, String user, PamConversation talk)
            throws PamFailure {
        var pam = SymbolLookup.libraryLookup("libpam.so.0", arena);
        var conversation = arena.allocate(ADDRESS, 2);
        conversation.setAtIndex(ADDRESS, 0, upcall(talk, arena));
        conversation.setAtIndex(ADDRESS, 1, MemorySegment.NULL);
        var handle = arena.allocate(ADDRESS);
        var start =
                LINKER.downcallHandle(
                        pam.findOrThrow("pam_start"),
                        FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
        var names = new MemorySegment[] {arena.allocateFrom(service), arena.allocateFrom(user)};
        require(
                "pam_start",
                invoke(() -> (int) start.invokeExact(names[0], names[1], conversation, handle)));
        return new PamLibrary(pam, arena, handle.get(ADDRESS, 0));
    }

    private static MemorySegment upcall(PamConversation talk, Arena arena) {
        try {
            var method =
                    MethodHandles.lookup()
                            .findVirtual(
                                    PamConversation.class,
                                    "answer",
                                    MethodType.methodType(
                                            int.class,
                                            int.class,
                                            MemorySegment.class,
                                            MemorySegment.class,
                                            MemorySegment.class));
            return LINKER.upcallStub(
                    method.bindTo(talk),
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, ADDRESS),
                    arena);
        } catch (NoSuchMethodException | IllegalAccessException e) {
            throw new IllegalStateException("the conversation has no method answer", e);
        }
    }

    /** Checks the password, and that the account may log in now. */
    void authenticate(String address) throws PamFailure {
        setItem(ITEM_REMOTE_HOST, address);
        require("pam_authenticate", withFlags("pam_authenticate"));
        require("pam_acct_mgmt", withFlags("pam_acct_mgmt"));
    }

    private int withFlags(String function) {
        return invoke(
                () ->
                        (int)
                                handleOf(
                                                function,
                                                FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT))
                                        .invokeExact(handle, DISALLOW_NULL_PASSWORD));
    }

    private void setItem(int item, String text) {
        invoke(
                () ->
                        (int)
                                handleOf(
                                                "pam_set_item",
                                                FunctionDescriptor.of(
                                                        JAVA_INT, ADDRESS, JAVA_INT, ADDRESS))
                                        .invokeExact(handle, item, arena.allocateFrom(text)));
    }

    /** The account's name: modules may have replaced what was entered. */
    String user() throws PamFailure {
        var found = arena.allocate(ADDRESS);
        require(
                "pam_get_item",
                invoke(
                        () ->
                                (int)
                                        handleOf(
                                                        "pam_get_item",
                                                        FunctionDescriptor.of(
                                                                JAVA_INT, ADDRESS, JAVA_INT,
                                                                ADDRESS))
                                                .invokeExact(handle, ITEM_USER, found)));
        return found.get(ADDRESS, 0).reinterpret(MAX_TEXT_BYTES).getString(0);
    }

    /** Memory that libpam frees itself. */
    static MemorySegment callocate(long bytes) {
        var calloc =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("calloc"),
                        FunctionDescriptor.of(ADDRESS, JAVA_LONG, JAVA_LONG));
        var made = new MemorySegment[1];
        invoke(
                () -> {
                    made[0] = (MemorySegment) calloc.invokeExact(1L, bytes);
                    return SUCCESS;
                });
        return made[0].reinterpret(bytes);
    }

    private static void require(String function, int code) throws PamFailure {
        if (code != SUCCESS) {
            throw new PamFailure(function, code);
        }
    }

    private MethodHandle handleOf(String function, FunctionDescriptor signature) {
        return LINKER.downcallHandle(pam.findOrThrow(function), signature);
    }

    /** A method handle declares Throwable; a C function throws nothing. */
    @SuppressWarnings("unchecked")
    private static int invoke(NativeCall<Throwable> call) {
        return ((NativeCall<RuntimeException>) (NativeCall<?>) call).run();
    }

    @FunctionalInterface
    private interface NativeCall<E extends Throwable> {
        int run() throws E;
    }
}
