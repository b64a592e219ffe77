package dev.berth.server;

import static dev.berth.server.SystemServer.BOB;
import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.server.api.TaskAccess.View;
import dev.berth.testkit.http.TestHttpClient.Reply;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Users name paths on a file system that never answers: a FUSE mount whose program reads no request.
 * Requests of others are answered meanwhile.
 */
class HostilePathsTest {

    private static final int HANGING = 100;
    private static final int HEALTH_CHECKS = 200;

    /** Mounts a file system, and answers nothing until its standard input ends. */
    private static final String MOUNT =
            """
            import ctypes, os, sys
            fd = os.open('/dev/fuse', os.O_RDWR)
            libc = ctypes.CDLL(None, use_errno=True)
            options = f'fd={fd},rootmode=40000,user_id=0,group_id=0'.encode()
            sys.exit(1) if libc.mount(b'dead', sys.argv[1].encode(), b'fuse', 0, options) else None
            print('mounted', flush=True)
            sys.stdin.read()
            """;

    @TempDir Path directory;
    private Path dead;
    private Process fileSystem;
    private TestServer server;

    @BeforeEach
    void mount() throws Exception {
        assumeTrue(
                System.getProperty("user.name").equals("root")
                        && Files.isExecutable(Path.of("/usr/bin/python3"))
                        && Files.exists(Path.of("/dev/fuse")),
                "needs root, python3 and /dev/fuse");
        dead = Files.createDirectory(directory.resolve("dead"));
        fileSystem = new ProcessBuilder("python3", "-c", MOUNT, dead.toString()).start();
        var output = new InputStreamReader(fileSystem.getInputStream(), StandardCharsets.UTF_8);
        assumeTrue("mounted".equals(new BufferedReader(output).readLine()), "needs FUSE mounts");
        server = SystemServer.open(View.BASIC, Optional.empty(), SystemServer.machine());
    }

    @AfterEach
    void close() throws Exception {
        if (fileSystem != null) {
            fileSystem.destroy();
            fileSystem.waitFor();
            new ProcessBuilder("umount", "-l", dead.toString()).start().waitFor();
        }
        if (server != null) {
            server.close();
        }
    }

    @Test
    void healthIsAnsweredWhileRequestsHangOnPaths() throws Exception {
        var token = SystemServer.token(server, BOB, "x");
        var hanging = new ArrayList<CompletableFuture<Reply>>();
        for (int i = 0; i < HANGING; i++) {
            var body =
                    TestServer.body(
                            Map.of(
                                    "content",
                                    "1\ntrue\n1\n",
                                    "command_file",
                                    dead.resolve("file" + i).toString()));
            hanging.add(
                    TestServer.async(
                            () -> server.tcp().post("/api/scheduler/single/start", body, token)));
        }
        eventually("threads hang", () -> hangingThreads() > 0);
        var nanos = new ArrayList<Long>();
        for (int i = 0; i < HEALTH_CHECKS; i++) {
            long began = System.nanoTime();
            assertThat(server.tcp().get("/api/health").status()).isEqualTo(200);
            nanos.add(System.nanoTime() - began);
        }
        // They were answered before the others, not after them.
        assertThat(hanging.stream().filter(one -> !one.isDone()).count())
                .isGreaterThan(HANGING / 2);
        report(nanos);
        fileSystem.destroy();
        for (var one : hanging) {
            assertThat(one.get().status()).isNotEqualTo(500);
        }
    }

    /** Threads that the kernel does not return from a look at the dead file system. */
    private static long hangingThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("user-path-"))
                .count();
    }

    private static void report(List<Long> nanos) {
        var sorted = nanos.stream().sorted().toList();
        System.out.printf(
                "health with %d hanging requests: p50 %.1f ms, p99 %.1f ms%n",
                HANGING,
                sorted.get(sorted.size() / 2) / 1e6,
                sorted.get(sorted.size() * 99 / 100) / 1e6);
    }
}
